/** The figures of retention as JSON and as a table. */
import type { RetentionFigures } from "./measure-retention.ts";

type ByStore = ReadonlyMap<string, RetentionFigures>;

/** Of the throughput without retention, so much is to be left. */
export const RATIO_TARGET = 1 / 1.1;

/** One line: `{ "retention": { "<store>": { … } } }`. */
export const toRetentionJson = (figures: ByStore): string =>
  JSON.stringify({ retention: Object.fromEntries(figures) });

/** A table for people. */
export const toRetentionTable = (figures: ByStore): string =>
  [...figures].map(([store, of]) => `${store}\n${linesOf(of).join("\n")}`).join("\n");

const linesOf = (of: RetentionFigures): readonly string[] =>
  [
    ["finished instances at the beginning", of.finished],
    ["W1 without retention, instances a second", of.withoutPerSecond],
    ["W1 while it deletes them, instances a second", of.withPerSecond],
    [`ratio, to be ${RATIO_TARGET.toFixed(2)} or more`, of.ratio],
    ["processor time of an instance without, ms", of.withoutCpuMs],
    ["processor time of an instance with, ms", of.withCpuMs],
    ["deleted beside that, instances a second", of.deletedPerSecond],
    ["deleted by an idle process, instances a second", of.idleDeletedPerSecond],
    ...of.steady.map((count): [string, number] => [
      "in the table, half of the time at work",
      count,
    ]),
  ].map(([says, value]) => `  ${String(says).padEnd(56)}${shorten(Number(value)).padStart(10)}`);

const shorten = (value: number): string => value.toFixed(value < 10 ? 3 : 0);
