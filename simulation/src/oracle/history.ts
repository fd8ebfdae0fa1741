/** The history of a run: its order, what its steps came to, and where the run ended. */
import { ModelRun } from "../model.ts";
import { CANCELLED, isCancelled, isRollback, type Outcome } from "../model-outcome.ts";
import type { DoNode, Leaf } from "../program.ts";
import { checkEnd, checkTerminated, checkTold, isCancelledError, isUndoing } from "./ends.ts";
import { childIdOf } from "../world/world.ts";
import { SCOPE_TYPES, type SettledWrite } from "../world/facts.ts";
import type { Case, Judged } from "./case.ts";
import { checkReplyRow } from "./replies.ts";
import { checkRollback, isUndo } from "./rollback.ts";

export function checkHistory(test: Case): Judged {
  const { run, program, fail } = test;
  const { books } = test.report;
  const settled = books.outcomes.get(run.runId) ?? [];
  const orders = settled.map(({ settledOrder }) => settledOrder ?? 0);
  const hasGaps = (books.trimmed.get(run.runId)?.size ?? 0) > 0 || books.disordered.has(run.runId);
  if (!hasGaps && orders.some((order, index) => order !== index + 1))
    fail("order", `steps settled as ${orders.join(", ")}`);
  if (program === null) {
    checkTerminated(test);
    return null;
  }
  const model = new ModelRun(program);
  for (const step of settled) settle(test, model, step);
  checkRollback(test, model, settled);
  for (const step of run.steps)
    if (step.settledOrder === null && model.end === null && !isOpen(test, model, step.stepKey))
      fail("order", `${step.stepKey} is ${step.status}, and author code has not called it`);
  checkEnd(test, model);
  return model;
}

/** What a run had come to when it was brought back or retried; judged is only what author code saw of it. */
export function replayPast(test: Case, settled: readonly SettledWrite[]): ModelRun | null {
  if (test.program === null) return null;
  const model = new ModelRun(test.program);
  for (const step of settled) settle({ ...test, fail: () => {} }, model, step);
  return model;
}

/** Author code waits for it, or it undoes something. */
const isOpen = (test: Case, model: ModelRun, stepKey: string): boolean =>
  isCalled(model, stepKey) || (isUndoing(test, model) && isUndo(model, stepKey));

const isCalled = (model: ModelRun, stepKey: string): boolean =>
  model.pending.has(stepKey) || (model.scopes.has(stepKey) && !model.abandoned.has(stepKey));

function settle(test: Case, model: ModelRun, step: SettledWrite): void {
  if (step.type === "version") return checkVersion(test, model, step);
  if (step.type === "reply") return checkReplyRow(test, model, step);
  if (isUndo(model, step.stepKey)) return;
  if (isNotAwaited(step)) return checkNotAwaited(test, model, step);
  // What is told in the turn in which the workflow returns is told, and whether scopes go on by it is nobody's business.
  if (model.end !== null && isOfScope(step)) {
    model.isPastEnd = true;
    return;
  }
  if (step.status === "cancelled") return checkCancelled(test, model, step);
  // It came to its outcome before the branch that called it had ended, and in one turn with what ended it.
  if (model.abandoned.has(step.stepKey)) return checkGivenBack(test, step);
  if (SCOPE_TYPES.has(step.type)) return settleScope(test, model, step);
  const wasOver = model.end !== null;
  const leaf = model.pending.get(step.stepKey)?.leaf;
  const outcome = outcomeOf(step, leaf);
  if (!model.settle(step.stepKey, outcome) || leaf === undefined)
    return test.fail("order", `${step.stepKey} settled before author code could have called it`);
  // The workflow returned, and waited only for this: by now the scope may have gone on, or not.
  if (!wasOver && model.end !== null && isOfScope(step)) model.isPastEnd = true;
  if (!wasOver || isRollback(model.end)) checkOutcome(test, model, { leaf, step, outcome });
}

/** A wait that lost in that turn has given back what came for it. */
function checkGivenBack({ fail }: Case, { stepKey, type, status, result }: SettledWrite): void {
  if (status === "completed" && TAKERS.has(type) && result !== "[]")
    fail("events", `${stepKey} took what came for it after its branch had ended`);
}

const TAKERS: ReadonlySet<string> = new Set(["waitForEvent", "receive", "waitForTopic"]);

/** It is a scope, or stands in one. */
const isOfScope = ({ type, stepKey }: SettledWrite): boolean =>
  SCOPE_TYPES.has(type) || stepKey.includes("/");

function settleScope({ fail }: Case, model: ModelRun, step: SettledWrite): void {
  const { stepKey, status, result } = step;
  const ended = model.endedScopes.get(stepKey);
  if (ended === undefined || !model.settleScope(stepKey))
    return fail("order", `${stepKey} settled before its branches could have`);
  if (ended.outcome.ok !== (status === "completed"))
    fail("outcomes", `${stepKey} is ${status}, and by the model ${ended.outcome.ok}`);
  const expected = ended.node.kind === "stepLoop" ? positionOf(model, stepKey) : ended.result;
  const actual =
    ended.node.kind === "stepLoop" && result !== null
      ? String((JSON.parse(result) as { iteration: number }).iteration)
      : result;
  if (actual !== expected)
    fail("outcomes", `${stepKey} keeps ${result}, and by the model ${expected}`);
}

/** The iteration that a loop's row goes on with; null: none was written down. */
function positionOf({ loops }: ModelRun, stepKey: string): string | null {
  const written = loops.get(stepKey)?.written ?? 0;
  return written === 0 ? null : String(written);
}

function checkVersion({ fail }: Case, model: ModelRun, { stepKey, result }: SettledWrite): void {
  const latest = model.versions.get(stepKey);
  if (latest === undefined ? model.end === null : result !== String(latest) || latest === 1)
    fail("versions", `${stepKey} is pinned to ${result}, and author code has ${latest}`);
}

/** Only what a branch had called before it ended, and was not told, is closed without an outcome. */
function checkCancelled(test: Case, model: ModelRun, { stepKey }: SettledWrite): void {
  const isRolledBack = isUndoing(test, model) && isCalled(model, stepKey);
  if (!isRolledBack && !model.abandoned.has(stepKey))
    test.fail("cancelled", `${stepKey} was cancelled, and its branch goes on`);
}

/** A step that was open when its run ended. */
const isNotAwaited = ({ error }: SettledWrite): boolean => error?.name === "StepNotAwaited";

function checkNotAwaited({ run, report, fail }: Case, model: ModelRun, step: SettledWrite): void {
  if (!isCalled(model, step.stepKey))
    fail("order", `${step.stepKey} was left behind, and author code has not called it`);
  // A rewind may leave what the end of the run had closed.
  const isReopened = report.books.reopeningsOf(run.runId) > 0;
  if (report.books.ends.get(run.runId) === undefined && !isReopened)
    fail("order", `${step.stepKey} was left behind by a run that goes on`);
}

function outcomeOf(step: SettledWrite, leaf: Leaf | undefined): Outcome {
  if (isCancelledError(step.error)) return CANCELLED;
  if (step.status !== "completed")
    return leaf?.kind === "wait" && !leaf.throws ? { ok: true, value: null } : { ok: false };
  if (step.type === "sleep" || step.type === "emit" || step.type === "progress")
    return { ok: true, value: null };
  const value: unknown = JSON.parse(step.result ?? "null");
  if (step.type === "do") return { ok: true, value };
  if (step.type === "receive")
    return {
      ok: true,
      value: (value as readonly { readonly payload?: unknown }[]).map(({ payload }) => payload),
    };
  if (step.type === "waitForTopic")
    return {
      ok: true,
      value: (value as { readonly payload: { readonly payload: unknown } }).payload.payload,
    };
  if (step.type === "invoke")
    return { ok: true, value: (value as { readonly output?: unknown }).output ?? null };
  return { ok: true, value: (value as { readonly payload?: unknown } | null)?.payload ?? null };
}

interface Settled {
  readonly leaf: Leaf;
  readonly step: SettledWrite;
  readonly outcome: Outcome;
}

function checkOutcome(test: Case, model: ModelRun, { leaf, step, outcome }: Settled): void {
  const { fail, report, run } = test;
  const { stepKey } = step;
  if (isCancelled(outcome)) return checkTold(test, model, stepKey);
  if (leaf.kind === "sleep" && !outcome.ok) fail("outcomes", `${stepKey} is a sleep and failed`);
  if (leaf.kind === "do") checkDo(test, leaf, { step, outcome });
  if (leaf.kind !== "child" || isCopied(test, stepKey)) return;
  if (!outcome.ok) fail("outcomes", `${stepKey} failed to create its child`);
  const id = childIdOf(run.instanceId, stepKey);
  if (!report.instances.some(({ instanceId }) => instanceId === id))
    fail("progress", `${stepKey} is ${step.status}, and its child ${id} does not exist`);
}

function checkDo(
  test: Case,
  leaf: DoNode,
  { step, outcome }: { readonly step: SettledWrite; readonly outcome: Outcome },
): void {
  const { fail, report, run } = test;
  const { stepKey, error } = step;
  const starts = report.world.startsOf(run.runId, stepKey);
  const { fails } = leaf.body;
  const mayComplete = fails !== null;
  const isForeign = isCopied(test, stepKey);
  if (outcome.ok) {
    if (!mayComplete) fail("outcomes", `${stepKey} completed, and every attempt of it fails`);
    if (!isForeign && !starts.some(({ endedAt }) => endedAt !== null))
      fail("outcomes", `${stepKey} completed without its body`);
    return;
  }
  if (!mayComplete || isForeign) return;
  const isLost = step.lostAttempts >= 20 || (leaf.retries === 0 && mayHaveBegun(test, stepKey));
  // A deploy may have cut the retries below what the body needs.
  const isUsedUp = fails > leaf.retries && starts.length > leaf.retries;
  if (!isLost && !isUsedUp)
    fail(
      "attempts",
      `${stepKey} failed (${error?.name}: ${error?.message}) after ${starts.length} starts, attempts ${step.attempts}, lost ${step.lostAttempts}, and had ${leaf.retries} retries`,
    );
}

/** A fork was given it: its body ran, and its child was started, in another instance. */
export const isCopied = ({ report: { books }, run: { runId } }: Case, stepKey: string): boolean =>
  books.copied.has(runId) && books.kept.get(runId)?.has(stepKey) === true;

const mayHaveBegun = ({ report, run }: Case, stepKey: string): boolean =>
  report.world.startsOf(run.runId, stepKey).length > 0 ||
  report.books.started.get(run.runId)?.has(stepKey) === true;
