/** Who ran what, as text. */
import type { Leg, RelayEnd } from "./relay-end.ts";

const BAR_WIDTH = 44;
const HEAD = ["leg", "platform", "runtime", "pid", "ready in", "tick took"];

/** @param title for instance the database */
export function drawRelay(title: string, end: RelayEnd): string {
  const { legs, skipped, output, problems } = end;
  const rows = legs.map((leg) => [...toCells(leg), toBar(leg, legs)]);
  const lines = alignColumns([
    [...HEAD, `0 s${toSeconds(endOf(legs)).padStart(BAR_WIDTH - 3)}`],
    ...rows,
  ]);
  const notes = legs.flatMap(({ hop, note }) => (note === null ? [] : [`${hop}: ${note}`]));
  return [
    `${title}: one instance, ${legs.length} platforms, ${legs.length} SIGKILLs`,
    "",
    ...lines,
    ...skipped.map(({ hop, reason }) => `SKIPPED ${hop}: ${reason}`),
    ...notes.map((note) => `NOTE ${note}`),
    "",
    `baton: ${String(output)}`,
    problems.length === 0
      ? "Every platform ran its step once; the instance is complete."
      : ["THE RELAY IS WRONG:", ...problems].join("\n  "),
  ]
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n");
}

const toCells = ({ hop, leg, pid, ran, startedAtMs, readyAtMs, doneAtMs }: Leg): string[] => [
  leg.replace("leg ", ""),
  hop,
  ran?.runtime ?? "nobody",
  String(pid),
  toSeconds(readyAtMs - startedAtMs),
  toSeconds(doneAtMs - readyAtMs),
];

const toSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const endOf = (legs: readonly Leg[]): number =>
  Math.max(1, ...legs.map(({ killedAtMs }) => killedAtMs));

/** ░ the process starts, █ it is driven, ✗ it is killed. */
function toBar({ startedAtMs, readyAtMs, killedAtMs }: Leg, legs: readonly Leg[]): string {
  const toColumn = (ms: number): number => Math.round((ms / endOf(legs)) * (BAR_WIDTH - 1));
  const [start, ready, killed] = [toColumn(startedAtMs), toColumn(readyAtMs), toColumn(killedAtMs)];
  return `${" ".repeat(start)}${"░".repeat(ready - start)}${"█".repeat(killed - ready)}✗`;
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
