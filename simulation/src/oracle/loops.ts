/** Loops: where they go on, and which rows they keep. */
import type { ModelRun } from "../model.ts";
import type { Case, Judged } from "./case.ts";
import { isCancelledError } from "./ends.ts";

/** Whether a key, or an entry of a trace, stands in an iteration before the one that its loop goes on with. */
export function isBehind(key: string, positions: ReadonlyMap<string, number>): boolean {
  for (const [loopKey, position] of positions) {
    const mark = `${loopKey}/~`;
    if (key.startsWith(mark) && Number.parseInt(key.slice(mark.length), 10) < position) return true;
  }
  return false;
}

/** The rows that are there are those that were written and that no loop has removed, and each loop removes what it must. */
export function checkRows(test: Case, model: Judged): void {
  const { run, report, fail } = test;
  const trimmed = report.books.trimmed.get(run.runId) ?? new Set<string>();
  const written = report.books.outcomes.get(run.runId) ?? [];
  const there = new Map(run.steps.map((step) => [step.stepKey, step]));
  for (const { stepKey } of written)
    if (!trimmed.has(stepKey) && (there.get(stepKey)?.settledOrder ?? null) === null)
      fail("trims", `${stepKey} was settled, and its row is gone or open`);
  if (model === null || model.isPastEnd) return;
  const kept = keptFrom(model);
  for (const key of trimmed)
    if (!isBehind(key, kept)) fail("trims", `the row of ${key} was removed too early`);
  // Author code was left, and its loops with it.
  const asked = report.books.requests.openOf(run.runId) ?? "cancel";
  if (asked !== "cancel" && asked !== "deadline") return;
  // One that says that the instance is cancelled stays.
  for (const [key, { error }] of there)
    if (isBehind(key, kept) && !isCancelledError(error))
      fail("trims", `the row of ${key} was to be removed`);
}

/** By loop, the first iteration whose rows stay. */
function keptFrom(model: ModelRun): ReadonlyMap<string, number> {
  const kept = new Map<string, number>();
  for (const [key, { node, done, written }] of model.loops) {
    const last = done - (done % node.commitEvery);
    kept.set(key, Math.max(0, Math.min(written, last - node.keep)));
  }
  return kept;
}
