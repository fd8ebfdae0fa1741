/** Rollbacks: what is undone, in which order, and what the run fails with. */
import type { ModelRun } from "../model.ts";
import { isRollback } from "../model-outcome.ts";
import type { DoNode, UndoPlan } from "../program.ts";
import type { ErrorShape, SettledWrite } from "../world/facts.ts";
import type { Case, Fail } from "./case.ts";
import { isUnbegun, isUndoing, mustUndo } from "./ends.ts";

const UNDO = "/undo";

/** Whether a key is that of what undoes a step. */
export const isUndo = (model: ModelRun, key: string): boolean =>
  !model.called.has(key) && key.endsWith(UNDO) && model.called.has(undoneBy(key));

export const undoneBy = (key: string): string => key.slice(0, -UNDO.length);

/** @param settled outcomes in the order of the history */
export function checkRollback(test: Case, model: ModelRun, settled: readonly SettledWrite[]): void {
  const { fail } = test;
  const undos = settled.filter(({ stepKey }) => isUndo(model, stepKey));
  if (!isUndoing(test, model)) {
    if (undos.length > 0) fail("rollback", "undone, and nothing asked for it");
    return;
  }
  const expected = settled
    .filter((step) => step.status === "completed" && undoOf(model, step.stepKey) !== null)
    .map(({ stepKey }) => stepKey + UNDO)
    .toReversed();
  const keys = undos.map(({ stepKey }) => stepKey);
  if (keys.some((key, index) => key !== expected[index]))
    fail("rollback", `undone: ${keys.join(", ")}; to be undone: ${expected.join(", ")}`);
  checkQuiet(test, model, settled);
  checkLost(test, model, settled);
  checkFailure(test, model, { undos, isAll: keys.length === expected.length });
}

export const undoOf = (model: ModelRun, key: string): UndoPlan | null => {
  const leaf = model.called.get(key);
  return leaf?.kind === "do" ? (leaf.undo ?? null) : null;
};

/** Nothing else settles once something is undone, and an undo that failed is the last. */
function checkQuiet({ fail }: Case, model: ModelRun, settled: readonly SettledWrite[]): void {
  const first = settled.findIndex(({ stepKey }) => isUndo(model, stepKey));
  if (first < 0) return;
  const rest = settled.slice(first);
  for (const { stepKey, error } of rest)
    if (!isUndo(model, stepKey) && error?.name !== "StepNotAwaited")
      fail("rollback", `${stepKey} settled after something was undone`);
  const failed = rest.findIndex(({ status }) => status !== "completed");
  if (failed >= 0 && rest[failed + 1] !== undefined)
    fail("rollback", `${rest[failed]?.stepKey} failed, and more was undone`);
}

/** A body that has done its work, as a commit told that it was about to, is not called off. */
function checkLost(
  { report, run, fail }: Case,
  model: ModelRun,
  settled: readonly SettledWrite[],
): void {
  for (const { stepKey, status } of settled) {
    if (status !== "cancelled" || model.abandoned.has(stepKey)) continue;
    const leaf = model.called.get(stepKey) as DoNode;
    if (undoOf(model, stepKey) === null || leaf.retries === 0 || leaf.body.fails !== 0) continue;
    // What the run's end had closed, and a retry has opened again, begins anew.
    const life = report.books.reopeningsOf(run.runId);
    const starts = report.world
      .startsOf(run.runId, stepKey)
      .filter(({ lease }) => lease.reopenings === life);
    if (starts.some(({ hasReturned, lease }) => hasReturned && lease.named.has(stepKey)))
      fail("rollback", `${stepKey} has done its work and was called off`);
  }
}

/** An end that no undo has a part in. */
const OTHER_ENDS = new Set(["CRASH_LOOP"]);

function checkFailure(
  test: Case,
  model: ModelRun,
  { undos, isAll }: { readonly undos: readonly SettledWrite[]; readonly isAll: boolean },
): void {
  const { report, run, fail } = test;
  const end = report.books.ends.get(run.runId);
  // It had its own end before it heard of a rollback that was asked for.
  const wasLeft = isRollback(model.end) || undos.length > 0 || (end !== undefined && mustUndo(end));
  const isOverAtOnce = end?.told === "cancel" && end.error === null && isUnbegun(test);
  if (end === undefined || end.told === "terminate" || !wasLeft || isOverAtOnce) return;
  const error: ErrorShape | null = end.error;
  const code = error?.code ?? "none";
  if (OTHER_ENDS.has(code)) return;
  const failed = undos.find(({ status }) => status !== "completed");
  if (failed === undefined) {
    // A branch of a join asked for it in the clean-up, and the deadline is the run's own error.
    if (isAll && end.told === "deadline" && code === "DEADLINE_EXCEEDED") return;
    // Of a run that begins again nobody is to take the error for one of the next.
    const isTold = ["ROLLED_BACK", "JOIN_FAILED"].includes(code) || end.kind === "retry";
    if (!isAll || !isTold)
      fail("rollback", `it failed with ${code}: ${error?.message}; ${undos.length} undone`);
    return;
  }
  const details = error?.details as { readonly stepKey?: string } | null | undefined;
  if (code !== "ROLLBACK_FAILED" || details?.stepKey !== undoneBy(failed.stepKey))
    fail("rollback", `it failed with ${code}, and ${failed.stepKey} failed`);
  checkMayFail(model, failed, fail);
}

function checkMayFail(model: ModelRun, failed: SettledWrite, fail: Fail): void {
  const plan = undoOf(model, undoneBy(failed.stepKey));
  const mayFail = plan === null || plan.body.fails === null || plan.retries === 0;
  if (!mayFail && failed.lostAttempts < 20)
    fail("rollback", `${failed.stepKey} failed, and was to be tried again`);
}
