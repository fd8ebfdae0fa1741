/** How runs end: by themselves, as they were asked to, or by a call from outside. */
import { isDeepStrictEqual } from "node:util";
import type { ModelRun } from "../model.ts";
import { isCancelled, isRollback } from "../model-outcome.ts";
import { START_AT } from "../scheduler.ts";
import { nodesOf } from "../walk.ts";
import { type RunEnd, SCOPE_TYPES } from "../world/facts.ts";
import type { Case } from "./case.ts";

/** Whether a step says that its instance is cancelled. */
export const isCancelledError = (error: object | null | undefined): boolean =>
  error !== null && error !== undefined && "code" in error && error.code === "CANCELLED";

/** What a run has done is undone: its code says so, or somebody outside. */
export const isUndoing = ({ report, run }: Case, model: ModelRun): boolean =>
  isRollback(model.end) || report.books.requests.openOf(run.runId) === "rollback";

/**
 * Some step was told so, whether or not anybody still looked at it, and whether or not its row is still there. What was told before
 * the run was brought back counts only if it was asked again; scopes pass on what their steps were told.
 */
function wasCancelled({ report, run }: Case): boolean {
  const { outcomes, kept, ends } = report.books;
  const isAsked = (ends.get(run.runId)?.told ?? null) !== null;
  return (outcomes.get(run.runId) ?? []).some(
    ({ stepKey, type, error }) =>
      isCancelledError(error) &&
      !SCOPE_TYPES.has(type) &&
      (isAsked || kept.get(run.runId)?.has(stepKey) !== true),
  );
}

/** A step is told that the instance is cancelled if it is, and never a shielded one. */
export function checkTold({ report, run, fail }: Case, model: ModelRun, stepKey: string): void {
  const asked = report.books.requests.of(run.runId)?.all;
  if (asked?.has("cancel") !== true && asked?.has("deadline") !== true)
    fail("asked", `${stepKey} was cancelled, and nobody asked for it`);
  if (model.shielded.has(stepKey)) fail("asked", `${stepKey} is shielded and was cancelled`);
}

/** @param model what the history comes to */
export function checkEnd(test: Case, model: ModelRun): void {
  checkTerminated(test);
  checkHeard(test);
  const end = test.report.books.ends.get(test.run.runId);
  if (end?.kind === "complete") checkComplete(test, model, end);
  if (end?.kind === "fail" && end.told === "deadline") checkExceeded(test, model, end);
  else if (end?.kind === "fail") checkFailed(test, model, end);
  if (end?.kind === "terminate") checkEndedAsAsked(test, model, end);
}

/** Its code had not ended by itself before it could hear of a rollback. */
export const mustUndo = ({ told, wasToldAtOnce }: RunEnd): boolean =>
  told === "rollback" && wasToldAtOnce;

/** Nor before it could hear that its parent has left it. */
const mustLeave = (end: RunEnd): boolean =>
  mustUndo(end) || (end.told === "terminate" && end.wasToldAtOnce);

function checkComplete(test: Case, model: ModelRun, end: RunEnd): void {
  const { fail } = test;
  const { output, told } = end;
  if (model.end === null) return fail("outcomes", "complete, and the model still waits");
  if (!model.end.ok) return fail("outcomes", "complete, and the model fails");
  const expected: unknown = JSON.parse(JSON.stringify(model.end.value));
  if (!isDeepStrictEqual(JSON.parse(output ?? "null"), expected))
    fail("outcomes", `its output is ${output}, the model's ${JSON.stringify(expected)}`);
  if (mustLeave(end) || wasCancelled(test)) fail("asked", `complete, and it was told of ${told}`);
}

function checkFailed(test: Case, model: ModelRun, end: RunEnd): void {
  const { fail } = test;
  const { error, told } = end;
  if (isCrashLoop(error) && !wasCancelled(test)) return;
  if (error?.code === "DEADLINE_EXCEEDED" && told !== "deadline")
    fail("asked", `it has exceeded its deadline, and was told of ${told}`);
  const isLeft = mustLeave(end) || (told === "rollback" && error?.code === "ROLLBACK_FAILED");
  if (model.end?.ok !== false && !isLeft)
    fail(
      "outcomes",
      `errored (${error?.name}: ${error?.message}), and the model ${model.end === null ? "waits" : "completes"}`,
    );
  if ((isLeft || wasCancelled(test)) && error?.code !== "ROLLBACK_FAILED" && !isCrashLoop(error))
    fail("asked", `errored with ${error?.code}, and it was told of ${told}`);
}

/** It had its own end before it heard of its deadline, or its code was told, and has come to an end, which may be an undo. */
function checkExceeded(test: Case, model: ModelRun, { error, told, ...end }: RunEnd): void {
  const { fail } = test;
  const code = error?.code ?? "none";
  if (isCrashLoop(error) || code === "ROLLBACK_FAILED") return;
  if (code !== "DEADLINE_EXCEEDED") {
    if (code === "ROLLED_BACK" && isRollback(model.end)) return;
    return checkFailed(test, model, { ...end, error, told });
  }
  const cause = error?.cause ?? null;
  if (isUnbegun(test) && cause === null) return;
  if (model.end === null) return fail("asked", "exceeded, and its code goes on by the model");
  if (!wasCancelled(test)) fail("asked", "exceeded, and its code was not told");
  const isClean = model.end.ok || isCancelled(model.end);
  if (isClean !== (cause === null))
    fail(
      "asked",
      `exceeded because of ${JSON.stringify(cause)}, and its code ${isClean ? "cleaned up" : "failed"}`,
    );
}

export const isCrashLoop = (error: object | null): boolean =>
  error !== null && JSON.stringify(error).includes("CRASH_LOOP");

/** The code of a run that is cancelled comes to its end, and of one that is rolled back nothing is left but its undo. */
function checkEndedAsAsked(test: Case, model: ModelRun, end: RunEnd): void {
  const { fail } = test;
  const { error, told } = end;
  const code = error?.code ?? null;
  if (told === null || told === "deadline")
    return fail("asked", `it ended as asked, and its runner was told of ${told}`);
  if (told === "terminate" && error === null) return;
  if (told === "rollback") {
    if (code === "ROLLED_BACK") return;
    // Of a run that was cancelled before, code may have ended when its runner hears of the rollback.
    if (mustUndo(end) || !wasCancelled(test))
      return fail("asked", `rolled back, with the error ${code}`);
  }
  if (isCrashLoop(error) || (isUnbegun(test) && error === null)) return;
  if (model.end === null) return fail("asked", "terminated, and its code goes on by the model");
  if (!wasCancelled(test)) fail("asked", "terminated, and its code was not told");
  const isClean = model.end.ok || isCancelled(model.end);
  if (isClean !== (error === null))
    fail("asked", `terminated with ${code}, and its code ${isClean ? "cleaned up" : "failed"}`);
}

/** Nothing of a run was ever begun that a commit told of. */
export const isUnbegun = ({ report, run }: Case): boolean =>
  !report.books.outcomes.get(run.runId)?.length &&
  !report.world.starts.some(({ runId, lease }) => runId === run.runId && lease.commitCount > 0);

/** Who is terminated was asked to end, or somebody has terminated it. */
export function checkTerminated({ report, run, fail }: Case): void {
  const instance = report.instances.find(
    ({ workflowName, instanceId }) =>
      workflowName === run.workflow && instanceId === run.instanceId,
  );
  const end = report.books.ends.get(run.runId);
  if (end?.kind === "terminate" && report.books.requests.of(run.runId) === undefined)
    fail("statuses", "it ended as if it was asked to, and nobody asked");
  if (!run.isCurrent || instance?.status !== "terminated" || end !== undefined) return;
  if (!report.books.terminated.has(run.runId))
    fail("statuses", "terminated, and nobody asked for it");
}

/** Once nothing fails any more: a look every 20 s, a body of 40 s before it, and then some. */
const PROMPT_MS = 120_000;

/** A runner hears of a request soon, whatever the run waits for. */
function checkHeard({ report, run, fail }: Case): void {
  const asked = report.books.requests.of(run.runId);
  const end = report.books.ends.get(run.runId);
  const { workflows, calmAt } = report.scenario;
  const isPoisoned = workflows.some(({ versions }) =>
    versions.some((program) => nodesOf(program).some(({ kind }) => kind === "poison")),
  );
  if (asked === undefined || asked.request === null || end === undefined || isPoisoned) return;
  const until = Math.max(asked.since, START_AT + calmAt) + PROMPT_MS;
  if (end.at > until && !asked.heardAt.some((at) => at <= until))
    fail("asked", `it was asked ${end.at - asked.since} ms before its end, and heard nothing`);
}
