/** Lateness as JSON and as a table. */
import { type LatenessFigures, SLEEPS, WAKE_PATHS } from "./measure-lateness.ts";
import type { Lateness } from "./percentiles.ts";
import type { RealFigures } from "./real/measure-real.ts";

export interface LatenessResults {
  readonly virtual: LatenessFigures;
  /** null: not asked for. */
  readonly real: RealFigures | null;
}

/** `{ "lateness": { "virtual": { "<path>": { "<sleep>": { "p50Ms", "p95Ms", "maxMs" } } }, "real": … } }` */
export const toLatenessJson = (results: LatenessResults): string =>
  JSON.stringify({ lateness: results });

/** Markdown: p50 and p95 of each path and sleep. */
export function toLatenessTable({ virtual, real }: LatenessResults): string {
  const keys = Object.keys(SLEEPS);
  const virtualRows = WAKE_PATHS.map(({ name, says, model }) =>
    [says].concat(cells(virtual[name], keys), model ?? "nothing"),
  );
  const realRows = Object.entries(real ?? {}).map(([name, figures]) =>
    [name].concat(cells(figures, Object.keys(figures))),
  );
  const realKeys = Object.keys(Object.values(real ?? {})[0] ?? {});
  const tables = [table(["wake path, virtual clock", ...keys, "modelled"], virtualRows)];
  if (real !== null) tables.push(table(["runtime, real clock", ...realKeys], realRows));
  return tables.join("\n\n");
}

const cells = (
  figures: Readonly<Record<string, Lateness>> | undefined,
  keys: readonly string[],
): readonly string[] =>
  keys.map((key) => {
    const found = figures?.[key];
    return found === undefined ? "–" : `${shorten(found.p50Ms)} / ${shorten(found.p95Ms)}`;
  });

function shorten(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 600_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cellsOfRow: readonly string[]): string => `| ${cellsOfRow.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
