/** The figures of lists as a table or as JSON. */
import type { LookFigures } from "./measure-lists.ts";

/** p95 of a page or a count. @source acceptance row S8-001 */
const TARGET_MS = 20;

export const isMet = (figures: readonly LookFigures[]): boolean =>
  figures.every((one) => one.p95Ms <= TARGET_MS && one.trips <= 1 && !one.readsWholeTable);

export const toListsJson = (figures: readonly LookFigures[]): string => JSON.stringify(figures);

export function toListsTable(figures: readonly LookFigures[]): string {
  const lines = figures.map(({ store, name, p50Ms, p95Ms, maxMs, trips, ...rest }) =>
    [
      store.padEnd(9),
      name.padEnd(36),
      ...[p50Ms, p95Ms, maxMs, rest.processorP95Ms].map((ms) => ms.toFixed(1).padStart(7)),
      trips.toFixed(2).padStart(6),
      rest.readsWholeTable ? "  reads a whole table" : "",
      p95Ms > TARGET_MS ? "  missed" : "",
    ].join(" "),
  );
  const head = [
    "store".padEnd(9),
    "look".padEnd(36),
    "    p50",
    "    p95",
    "    max",
    "    cpu",
    " trips",
  ];
  return [head.join(" "), ...lines].join("\n");
}
