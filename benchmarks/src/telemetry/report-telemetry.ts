/** What spans cost, as JSON and as a table. */
import type { Spread, TelemetryFigures } from "./measure-telemetry.ts";

export const toTelemetryJson = (figures: TelemetryFigures): string =>
  JSON.stringify({ node: process.version, telemetry: figures });

/** A table for people. */
export const toTelemetryTable = ({
  generations,
  plain,
  trips,
  comparisons,
}: TelemetryFigures): string =>
  [
    `A workflow of three steps on Postgres, processor time: ${plain.process.toFixed(0)} µs of the process, ` +
      `${plain.server.toFixed(0)} µs of the server. Node ${process.version}, ${generations} generations: median (least to most)`,
    row("more processor time", ["than", "of the process", "of process and server"]),
    ...comparisons.map(({ comparison: { says, than }, ofProcess, ofWhole }) =>
      row(says, [than, toText(ofProcess), toText(ofWhole)]),
    ),
    `Trips for a workflow: ${trips.map((of) => `${of.name} ${of.trips.toFixed(3)}`).join(", ")}`,
  ].join("\n");

const toText = ({ median, least, most }: Spread): string =>
  `${percent(median)} % (${percent(least)} to ${percent(most)})`;

const percent = (share: number): string => (share * 100).toFixed(1);

const row = (name: string, [than = "", ...cells]: readonly string[]): string =>
  `  ${name.padEnd(44)}${than.padEnd(8)}${cells.map((cell) => cell.padStart(26)).join("")}`;
