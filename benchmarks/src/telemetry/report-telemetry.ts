/** What spans cost, as JSON and as a table. */
import type { TelemetryFigures } from "./measure-telemetry.ts";

export const toTelemetryJson = (figures: TelemetryFigures): string =>
  JSON.stringify({ node: process.version, telemetry: figures });

/** A table for people. */
export const toTelemetryTable = ({
  rounds,
  postgresUs,
  configurations,
}: TelemetryFigures): string =>
  [
    `A workflow of three steps, processor time in µs: ${postgresUs.toFixed(0)} on Postgres. Node ${process.version}, ${rounds} rounds`,
    row("", ["in memory", "more", "95 % between", "of Postgres"]),
    ...configurations.map(({ configuration, cpuUs, moreUs, between, share }) =>
      row(configuration.says, [
        cpuUs.toFixed(0),
        moreUs.toFixed(1),
        between.map((bound) => bound.toFixed(1)).join(" … "),
        `${(share * 100).toFixed(1)} %`,
      ]),
    ),
  ].join("\n");

const row = (name: string, cells: readonly string[]): string =>
  `  ${name.padEnd(70)}${cells.map((cell) => cell.padStart(14)).join("")}`;
