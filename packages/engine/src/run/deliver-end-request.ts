/**
 * @module Handles a request to end: every open call that is not shielded, now or later, throws to author code, and the run ends
 * as it was asked to. Loaded when a run is first asked.
 */
import { decideStartTakenBack } from "../core/decide/attempt-failed.ts";
import { createErrorRecord } from "../core/stored-error.ts";
import { WorkflowError } from "../core/errors.ts";
import { deadlineExceeded } from "../core/author-errors.ts";
import { isSettled } from "../core/history/history.ts";
import type { EndOutcome, StepWrite } from "../core/model/change.ts";
import type { ErrorRecord } from "../core/model/records.ts";
import type { Call } from "./call.ts";
import type { KnownRun } from "./known-run.ts";
import { leaveToUndo } from "./leave-to-undo.ts";
import { toClosedWrite, toOpenWrite } from "./open-write.ts";
import type { Session } from "./session-interface.ts";
import type { Ending } from "./session-end.ts";
import { toTerminatedError } from "./terminated-error.ts";
import { othersOf } from "./other-pending.ts";
import { callsBelow, dropBody, withdrawStart } from "./in-flight.ts";

export { leaveToUndo, toRollbackError } from "./leave-to-undo.ts";

const toCancelledError = (message: string): ErrorRecord =>
  createErrorRecord("CANCELLED", { name: "CancelledError", message });

/** The error that author code gets, by the kind of request. */
const CANCELLED: Readonly<Record<"cancel" | "deadline", ErrorRecord>> = {
  cancel: toCancelledError("the instance was cancelled"),
  deadline: toCancelledError(deadlineExceeded().message),
};

/** Abandons author code if the run is to end without it. @returns whether it did */
export function leaveAuthor(session: Session): boolean {
  if (session.known.endRequested !== "terminate") return leaveToUndo(session);
  session.fail(toTerminatedError());
  return true;
}

/** Tells author code that the instance is cancelled or past its deadline. @returns whether it did */
export function deliverCancel(session: Session): boolean {
  const { endRequested } = session.known;
  const isCancel = endRequested === "cancel" || endRequested === "deadline";
  return isCancel && cancelOpenCalls(session, endRequested);
}

/** Ends all open calls with the error, running bodies included. Each gets a row, like any outcome. @returns whether there were any */
function cancelOpenCalls(session: Session, asked: keyof typeof CANCELLED): boolean {
  let isAny = false;
  // This notes children that nobody waits for any more.
  othersOf(session.pending);
  for (const call of callsBelow(session, ""))
    if (!call.isShielded && cancelCall(session, call, CANCELLED[asked])) isAny = true;
  // Code that goes on calling steps makes no progress.
  if (isAny) session.refusals.noteIdle();
  return isAny;
}

function cancelCall(session: Session, call: Call, error: ErrorRecord): boolean {
  const { calls, pending, known, order } = session;
  const { stepKey } = call;
  const record = known.recordOf(stepKey);
  // Its outcome exists already, or its writes to other tables are being collected.
  if (
    (record !== null && isSettled(record)) ||
    session.bodies.inFlight.get(stepKey)?.started === null
  )
    return false;
  const attempt = stopAttempt(session, stepKey, error.message);
  const open = attempt ?? pending.find(stepKey) ?? toOpen(session, call);
  if (open === null) return false;
  calls.setBusy(call);
  const settled = { ...toClosedWrite(open, "errored", error), ...order.allocate() };
  pending.addSettled(settled);
  session.tell({ call }, settled);
  return true;
}

/** Stops the body of a step, whether it runs or is about to start. @returns its attempt, if a row has to record it */
function stopAttempt(session: Session, stepKey: string, message: string): StepWrite | null {
  const running = dropBody(session, stepKey, message);
  const recorded = withdrawStart(session, stepKey);
  return running ?? (recorded && decideStartTakenBack(recorded));
}

/** The row of an open step, as it is or as it would be. null: events are to be read first. */
function toOpen({ known }: Session, { stepKey, decide }: Call): StepWrite | null {
  const record = known.openRecordOf(stepKey);
  if (record !== null) return toOpenWrite(record);
  const decision = decide();
  if (decision.kind === "start") return decideStartTakenBack(decision.started);
  return decision.kind === "wait" ? decision.step : null;
}

/** The outcome of a run that was asked to end. @param natural its outcome otherwise */
export function toAskedOutcome(known: KnownRun, ending: Ending, natural: EndOutcome): EndOutcome {
  const code = ending.kind === "fail" && WorkflowError.is(ending.error) ? ending.error.code : null;
  if (!isAsAsked(known, ending, code)) return natural;
  const error = "error" in natural && code !== "CANCELLED" ? natural.error : null;
  if (known.endRequested !== "deadline") return { kind: "terminate", error };
  // A run that was rolled back says so, and is not retried.
  return code === "ROLLED_BACK" ? natural : { kind: "fail", error: toDeadlineError(error) };
}

const toDeadlineError = (cause: ErrorRecord | null): ErrorRecord => {
  const { code, name, message } = deadlineExceeded();
  return { ...createErrorRecord(code, { name, message }), cause };
};

/** Whether the run ends as it was asked to. If something could not be undone, it does not: somebody has to look at it and retry. */
function isAsAsked(known: KnownRun, { kind }: Ending, code: string | null): boolean {
  if (known.endRequested === "rollback" && code === "ROLLED_BACK") return true;
  if (code === "ROLLBACK_FAILED" || code === "UNDO_MISSING") return false;
  return (kind === "fail" && code === "CANCELLED") || wasCancelled(known);
}

/** Whether a step of the run was cancelled and author code was told. */
function wasCancelled(known: KnownRun): boolean {
  for (const stepKey of known.stepKeys) if (isCancelled(known, stepKey)) return true;
  return false;
}

function isCancelled(known: KnownRun, stepKey: string): boolean {
  const step = known.recordOf(stepKey);
  return step !== null && isSettled(step) && step.error?.code === "CANCELLED";
}

/** The rows that a loop may remove: all but the last one that shows that author code was told. */
export function keepCancelled(known: KnownRun, stepKeys: readonly string[]): readonly string[] {
  const cancelled = stepKeys.find((stepKey) => isCancelled(known, stepKey));
  if (cancelled === undefined) return stepKeys;
  const going = new Set(stepKeys);
  for (const stepKey of known.stepKeys)
    if (!going.has(stepKey) && isCancelled(known, stepKey)) return stepKeys;
  return stepKeys.filter((stepKey) => stepKey !== cancelled);
}
