/** The Fragno figures as JSON and as a table. */
import type { FragnoFigures, FragnoMetric, SideFigures } from "./measure-fragno.ts";
import type { FragnoWork } from "./side.ts";

const SAYS: Readonly<Record<FragnoWork, string>> = {
  create: "create an instance",
  composed: "create composed with a row of another fragment",
  hooked: "the same, and a hook of that fragment",
  read: "read an instance's status",
  three: "three steps: create to last commit",
};

const METRICS: Readonly<Record<FragnoMetric, string>> = {
  localMs: "local, ms",
  delayedMs: "5 ms away, ms",
  trips: "trips",
};

const round = (value: number): number => Number(value.toPrecision(4));

/** One line: `{ "fragno": { "<work>": { "<metric>": { "ours", "stock", "ratio" } } } }`. */
export function toFragnoJson(figures: FragnoFigures): string {
  const entries = [...figures].map(([work, metrics]) => [
    work,
    Object.fromEntries(
      Object.entries(metrics).map(([name, { ours, stock, ratio }]) => [
        name,
        { ours: round(ours), stock: round(stock), ratio: round(ratio) },
      ]),
    ),
  ]);
  return JSON.stringify({ fragno: Object.fromEntries(entries) });
}

/** A table for people. */
export function toFragnoTable(figures: FragnoFigures): string {
  const lines: string[] = [];
  for (const [metric, says] of Object.entries(METRICS) as [FragnoMetric, string][]) {
    lines.push("", row(`Fragno, ${says}`, ["ours", "stock", "ratio"]));
    for (const [work, metrics] of figures) lines.push(row(SAYS[work], toCells(metrics[metric])));
  }
  return lines.join("\n");
}

const toCells = ({ ours, stock, ratio }: SideFigures): readonly string[] => [
  ours.toFixed(1),
  stock.toFixed(1),
  ratio.toFixed(2),
];

const row = (name: string, cells: readonly string[]): string =>
  `  ${name.padEnd(52)}${cells.map((cell) => cell.padStart(9)).join("")}`;
