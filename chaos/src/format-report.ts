/** A report for people. */
import type { ChaosReport } from "./run-chaos.ts";

/** Names with their counts, the largest first. */
export const list = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

export function formatReport(report: ChaosReport): string {
  const { violations } = report;
  const byPromise: Record<string, number> = {};
  for (const { promise } of violations) byPromise[promise] = (byPromise[promise] ?? 0) + 1;
  const lines = [
    `${report.subject}, seed ${report.seed}: ${violations.length} violations in ${report.seconds} s`,
    `  ${report.instances} instances, ${report.bodies} bodies, ${report.sessions} sessions in ${report.processes} processes, ${report.kills} SIGKILLs`,
    `  faults: ${list(report.faults)}`,
    `  requests: ${list(report.deliveries)}`,
    `  at most ${report.mostLogLinesAMinute} log lines a minute and process; all ended ${report.settledMs} ms after the last fault`,
    ...(violations.length === 0 ? [] : [`  ${list(byPromise)}`]),
    ...violations
      .slice(0, 60)
      .map(({ promise, id, evidence }) => `  - ${promise} ${id}: ${evidence}`),
  ];
  return `${lines.join("\n")}\n`;
}
