/** The figures of two commits as JSON and as a table. */
import { METRICS } from "../metrics.ts";
import type { AgainstFigures } from "./measure-against.ts";

type Figures = ReadonlyMap<string, AgainstFigures>;

/** One line: `{ "against": { "<metric>": { "ours", "theirs", "ratio" } } }`. */
export const toAgainstJson = (figures: Figures): string =>
  JSON.stringify({ against: Object.fromEntries(figures) });

/** A table for people. */
export const toAgainstTable = (figures: Figures): string =>
  [
    row("", ["ours", "theirs", "ratio"]),
    ...METRICS.flatMap(({ name, says }) => {
      const found = figures.get(name);
      return found === undefined
        ? []
        : [row(says, [found.ours, found.theirs, found.ratio].map(shorten))];
    }),
  ].join("\n");

const shorten = (value: number): string => value.toFixed(value < 100 ? 3 : 0);

const row = (name: string, cells: readonly string[]): string =>
  `  ${name.padEnd(52)}${cells.map((cell) => cell.padStart(9)).join("")}`;
