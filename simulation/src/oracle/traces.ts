/** What author code saw, each time that it ran. */
import type { ModelRun } from "../model.ts";
import type { LeaseRecord } from "../world/facts.ts";
import type { ExecutionRecord } from "../world/world.ts";
import type { Case, Judged } from "./case.ts";
import { replayPast } from "./history.ts";
import { isBehind } from "./loops.ts";

/**
 * An execution sees what its run's history came to, in that order, as far as its lease knew the history. What it saw
 * beyond that may have been lost with it.
 */
export function checkTraces(test: Case, model: Judged): void {
  const { report, run } = test;
  const lives = report.books.pastLives.get(run.runId) ?? [];
  for (const [life, settled] of lives.entries()) {
    checkLife(test, replayPast(test, settled), life);
  }
  checkLife(test, model, lives.length);
}

/** @param life how often the run had been brought back or retried */
function checkLife(test: Case, model: Judged, life: number): void {
  if (model === null) return;
  for (const execution of test.report.world.executions) {
    const { runId, reopenings } = execution.lease;
    if (runId === test.run.runId && reopenings === life) checkTrace(test, execution, model);
  }
}

/** Of the iterations that a loop has written down as done, an execution sees nothing. */
const seenUnder = ({ positions }: LeaseRecord, entries: Iterable<string>): readonly string[] =>
  [...entries].filter((entry) => !isBehind(entry, positions));

function checkTrace(test: Case, { trace, lease }: ExecutionRecord, model: ModelRun): void {
  const expected = seenUnder(lease, model.trace);
  const known = seenUnder(lease, lease.settled).filter((key) => model.told.has(key)).length;
  let settled = 0;
  for (const [index, entry] of trace.entries()) {
    if (entry !== expected[index]) {
      // Once the workflow has returned, nobody looks any more.
      if (settled >= known || index === expected.length) return;
      const context = (list: readonly string[]): string =>
        list.slice(Math.max(0, index - 2), index + 2).join(", ");
      return test.fail(
        "replay",
        `an execution under ${lease.token} saw "${context(trace)}" where history says "${context(expected)}"`,
      );
    }
    if (entry.includes(" = ")) settled += 1;
  }
}
