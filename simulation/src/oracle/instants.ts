/** What `step.now` told author code. */
import type { Case } from "./case.ts";

/**
 * Told an outcome, an execution is told the time that the outcome's row keeps, as far as its lease knew the history; before the
 * first, all executions of a run are told the same.
 */
export function checkInstants({ report, run, program, fail }: Case): void {
  // A fork begins later than what it was given.
  if (program === null || report.books.copied.has(run.runId)) return;
  const written = new Map<string, Set<number>>();
  const { outcomes, pastLives } = report.books;
  const all = [...(pastLives.get(run.runId) ?? []).flat(), ...(outcomes.get(run.runId) ?? [])];
  for (const { stepKey, updatedAt } of all)
    written.set(stepKey, (written.get(stepKey) ?? new Set<number>()).add(updatedAt ?? Number.NaN));
  const begun = new Set<number>();
  for (const { lease, instants } of report.world.executions) {
    if (lease.runId !== run.runId) continue;
    for (const [key, at] of instants)
      if (key === "") begun.add(at);
      else if (lease.settled.has(key) && written.get(key)?.has(at) !== true)
        fail(
          "replay",
          `an execution under ${lease.token} was told ${at} with ${key}, which settled at ${[...(written.get(key) ?? [])].join(", ")}`,
        );
  }
  if (begun.size > 1) fail("replay", `executions began at ${[...begun].join(", ")}`);
}
