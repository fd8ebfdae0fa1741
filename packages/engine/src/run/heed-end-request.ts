/**
 * @module What a request to end takes: author code is told of each call that is open, now and later, but for those that are
 * shielded; and the run ends as it was asked to. Loaded when a run is first asked.
 */
import { decideStartTakenBack } from "../core/decide/attempt.ts";
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
import type { Session } from "./session.ts";
import type { Ending } from "./session-end.ts";
import { toTerminatedError } from "./terminated-error.ts";
import { othersOf } from "./other-pending.ts";
import { callsBelow, dropBody, withdrawStart } from "./in-flight.ts";

export { leaveToUndo, toRollbackError } from "./leave-to-undo.ts";

const toTold = (message: string): ErrorRecord =>
  createErrorRecord("CANCELLED", { name: "CancelledError", message });

/** What author code is told, by what was asked. */
const TOLD: Readonly<Record<"cancel" | "deadline", ErrorRecord>> = {
  cancel: toTold("the instance was cancelled"),
  deadline: toTold(deadlineExceeded().message),
};

/** Leaves author code if the run is to end without it. @returns whether it is left */
export function leaveAuthor(session: Session): boolean {
  if (session.known.endRequested !== "terminate") return leaveToUndo(session);
  session.fail(toTerminatedError());
  return true;
}

/** Tells author code that the instance is cancelled, or past its deadline. @returns whether it was told */
export function tellCancelled(session: Session): boolean {
  const { endRequested } = session.known;
  const isToBeTold = endRequested === "cancel" || endRequested === "deadline";
  return isToBeTold && cancelOpenCalls(session, endRequested);
}

/** Tells all open calls of it, bodies under way included. Each gets a row, as outcomes do. @returns whether any was told */
function cancelOpenCalls(session: Session, asked: keyof typeof TOLD): boolean {
  let isAny = false;
  // Children that nobody waits for any more are noted there.
  othersOf(session.pending);
  for (const call of callsBelow(session, ""))
    if (!call.isShielded && cancelCall(session, call, TOLD[asked])) isAny = true;
  // Code that goes on calling them brings the run nowhere.
  if (isAny) session.refusals.noteIdle();
  return isAny;
}

function cancelCall(session: Session, call: Call, error: ErrorRecord): boolean {
  const { calls, pending, known, order } = session;
  const { stepKey } = call;
  const record = known.recordOf(stepKey);
  // Its outcome is there, or what is to be committed with it is being collected.
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

/** Stops what runs of a step, or is about to. @returns its attempt, if there is one that a row has to tell of */
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

/** How a run ends that was asked to. @param natural how it would otherwise */
export function toAskedOutcome(known: KnownRun, ending: Ending, natural: EndOutcome): EndOutcome {
  const code = ending.kind === "fail" && WorkflowError.is(ending.error) ? ending.error.code : null;
  if (!isAsAsked(known, ending, code)) return natural;
  const error = "error" in natural && code !== "CANCELLED" ? natural.error : null;
  if (known.endRequested !== "deadline") return { kind: "terminate", error };
  // What was rolled back says so, and is not retried.
  return code === "ROLLED_BACK" ? natural : { kind: "fail", error: toDeadlineError(error) };
}

const toDeadlineError = (cause: ErrorRecord | null): ErrorRecord => {
  const { code, name, message } = deadlineExceeded();
  return { ...createErrorRecord(code, { name, message }), cause };
};

/** Whether it is the end that was asked for. What could not be undone is to be looked at, and retried. */
function isAsAsked(known: KnownRun, { kind }: Ending, code: string | null): boolean {
  if (known.endRequested === "rollback" && code === "ROLLED_BACK") return true;
  if (code === "ROLLBACK_FAILED" || code === "UNDO_MISSING") return false;
  return (kind === "fail" && code === "CANCELLED") || wasCancelled(known);
}

/** Whether author code was told so of a step. */
function wasCancelled(known: KnownRun): boolean {
  for (const stepKey of known.stepKeys) if (isTold(known, stepKey)) return true;
  return false;
}

function isTold(known: KnownRun, stepKey: string): boolean {
  const step = known.recordOf(stepKey);
  return step !== null && isSettled(step) && step.error?.code === "CANCELLED";
}

/** Of the rows that a loop is to remove, those that may go: the last one which says that author code was told stays. */
export function keepTold(known: KnownRun, stepKeys: readonly string[]): readonly string[] {
  const told = stepKeys.find((stepKey) => isTold(known, stepKey));
  if (told === undefined) return stepKeys;
  const going = new Set(stepKeys);
  for (const stepKey of known.stepKeys)
    if (!going.has(stepKey) && isTold(known, stepKey)) return stepKeys;
  return stepKeys.filter((stepKey) => stepKey !== told);
}
