/** The checker: everything that a run must not show. */
import type { Fleet } from "../fleet.ts";
import type { LedgerLine } from "../ledger.ts";
import type { StartedInstance } from "../load.ts";
import type { Tables } from "../tables.ts";
import {
  findExcessAttempts,
  findRepeats,
  findUnplannedFailures,
  toRepeatViolations,
} from "./check-bodies.ts";
import { findForeignResults, findOrderChanges, findShortSleeps } from "./check-order.ts";
import { findDeaths, findLoudLogs } from "./check-processes.ts";
import { findEventFaults, findUnended } from "./check-tables.ts";
import type { Violation } from "./violation.ts";

export interface Evidence {
  readonly lines: readonly LedgerLine[];
  readonly tables: Tables;
  readonly started: readonly StartedInstance[];
  readonly fleet: Fleet;
  /** Processes that did not end when they were told to. */
  readonly stubborn: number;
}

export function checkRun({
  lines,
  tables,
  started,
  fleet,
  stubborn,
}: Evidence): readonly Violation[] {
  const repeats = findRepeats(lines);
  const stale = new Set(repeats.map(({ start }) => start.session));
  return [
    ...toRepeatViolations(repeats),
    ...findExcessAttempts(lines, tables.steps),
    ...findUnplannedFailures(lines),
    ...findOrderChanges(lines, stale),
    ...findForeignResults(lines),
    ...findShortSleeps(lines),
    ...findUnended(tables, started),
    ...findEventFaults(tables, lines),
    ...findDeaths(fleet),
    ...findLoudLogs(fleet.logLines),
    ...(stubborn === 0
      ? []
      : [
          {
            promise: "processes-end",
            id: "the fleet",
            evidence: `${stubborn} processes did not end after SIGTERM`,
          } as const,
        ]),
  ];
}
