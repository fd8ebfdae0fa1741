/** Closes what a branch leaves open when it ends or loses: it gets no outcome, is aborted, and is closed as `cancelled`. */
import { decideStartTakenBack } from "../../core/decide/attempt-failed.ts";
import { createErrorRecord } from "../../core/stored-error.ts";
import { isSettled } from "../../core/history/history.ts";
import type { StepWrite } from "../../core/model/change.ts";
import type { ErrorRecord } from "../../core/model/records.ts";
import type { Call } from "../call.ts";
import { toClosedWrite, toOpenWrite } from "../open-write.ts";
import type { Session } from "../session-interface.ts";
import { othersOf } from "../other-pending.ts";
import { callsBelow, dropBody, isStarting, scopesBelow, withdrawStart } from "../in-flight.ts";

const MESSAGE = "the branch that called this step has ended without it";
const ERROR: ErrorRecord = createErrorRecord("SCOPE_CLOSED", {
  name: "ScopeClosed",
  message: MESSAGE,
});

/** Closes what was called at a place and inside it. A step that no commit has recorded gets no row, unless its body runs. */
export function cancelBelow(session: Session, path: string): void {
  const { scopes, pending } = session;
  // This notes children that nobody waits for any more.
  othersOf(pending);
  for (const call of callsBelow(session, path)) cancelCall(session, call);
  for (const { stepKey, kind } of scopesBelow(session, path)) {
    scopes.open.delete(stepKey);
    if (kind !== "try") cancelRow(session, { stepKey, type: kind }, null);
  }
  session.schedule();
}

/**
 * Closes calls without a running body: waits, and bodies that are about to start. But if an attempt was lost with its process,
 * its body may have done something that has to be undone, so it runs once more.
 */
export function cancelUnbegun(session: Session): void {
  const { calls, pending } = session;
  othersOf(pending);
  const undecided = new Set(calls.undecided);
  for (const call of callsBelow(session, "")) {
    const isUnbegun = undecided.has(call) || isStarting(session, call.stepKey);
    if (isUnbegun && !mustEnd(session, call)) cancelCall(session, call);
  }
  session.schedule();
}

/** Whether an attempt was lost of a step that has an undo. */
function mustEnd({ known, pending, undos }: Session, { stepKey }: Call): boolean {
  if (undos.find(stepKey) === null) return false;
  const step = pending.find(stepKey) ?? known.openRecordOf(stepKey);
  if (step === null) return known.wasNamed(stepKey);
  return step.status === "running" || step.lostAttempts > 0;
}

function cancelCall(session: Session, call: Call): void {
  const { stepKey } = call;
  const { calls, transactions, pending } = session;
  calls.remove(stepKey);
  // A commit with its outcome is under way.
  if (transactions?.drop(stepKey) === false) return;
  const running = dropBody(session, stepKey, MESSAGE);
  const recorded = withdrawStart(session, stepKey);
  if (pending.settles(stepKey) && othersOf(pending).releaseEventsOf(stepKey))
    return cancelTaken(session, stepKey);
  cancelRow(session, call, running ?? (recorded && decideStartTakenBack(recorded)));
}

/** Cancels a wait that has ended although nobody was told. It keeps its place in the order of outcomes. */
function cancelTaken({ pending }: Session, stepKey: string): void {
  const settled = pending.find(stepKey);
  if (settled !== null) pending.addSettled(toCancelled(settled));
}

function cancelRow(
  session: Session,
  { stepKey, type }: Pick<Call, "stepKey" | "type">,
  attempt: StepWrite | null,
): void {
  const { known, pending, order } = session;
  const record = known.recordOf(stepKey);
  if (pending.settles(stepKey) || (record !== null && isSettled(record))) return;
  const open = attempt ?? pending.find(stepKey) ?? (record && toOpenWrite(record));
  if (open === null) {
    known.forgetName(stepKey);
    return session.stepLimit.remove(type);
  }
  pending.addSettled({ ...toCancelled(open), ...order.allocate() });
}

const toCancelled = (step: StepWrite): StepWrite => toClosedWrite(step, "cancelled", ERROR);
