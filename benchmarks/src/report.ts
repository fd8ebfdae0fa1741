/** The figures as JSON and as a table. */
import { meetsTarget, METRICS, type StoreName } from "./metrics.ts";
import type { Figures } from "./rounds.ts";

export type Results = ReadonlyMap<StoreName, ReadonlyMap<string, Figures>>;

const round = (value: number): number => Number(value.toPrecision(4));

/** One line: `{ "<store>": { "<metric>": { "ours", "floor", "ratio" } } }`. */
export function toJson(results: Results): string {
  const entries = [...results].map(([store, figures]) => [
    store,
    Object.fromEntries(
      [...figures].map(([name, { ours, floor, ratio }]) => [
        name,
        { ours: round(ours), floor: round(floor), ratio: round(ratio) },
      ]),
    ),
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}

/** A table for people, and whether every target was met. */
export function toTable(results: Results): { readonly text: string; readonly isMet: boolean } {
  let isMet = true;
  const lines: string[] = [];
  for (const [store, figures] of results) {
    lines.push("", store, row("", ["ours", "floor", "ratio", "target", ""]));
    for (const metric of METRICS) {
      const found = figures.get(metric.name);
      if (found === undefined) continue;
      const verdict = meetsTarget(metric, store, found.ratio);
      if (verdict === false) isMet = false;
      const target = metric.target[store];
      const bound = target === undefined ? "-" : `${metric.isRate ? ">=" : "<="} ${target}`;
      const words = verdict === null ? "" : verdict ? "pass" : "FAIL";
      const { ours, floor, ratio } = found;
      lines.push(row(metric.says, [...[ours, floor, ratio].map(shorten), bound, words]));
    }
  }
  return { text: lines.join("\n"), isMet };
}

/** Lines without a target, for people. */
export const toExtras = (
  store: StoreName,
  lines: readonly { readonly name: string; readonly value: string }[],
): string =>
  [
    "",
    `${store}, not targets`,
    ...lines.map(({ name, value }) => `  ${name.padEnd(60)}${value}`),
  ].join("\n");

const shorten = (value: number): string => value.toFixed(value < 100 ? 2 : 0);

const row = (name: string, cells: readonly string[]): string =>
  `  ${name.padEnd(52)}${cells.map((cell) => cell.padStart(9)).join("")}`;
