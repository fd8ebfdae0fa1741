/** Runs that were asked from outside to end: when author code is left, and what becomes of the run once it is done. */
import { CancelledError, RollbackError, WorkflowError } from "../core/errors.ts";
import { isSettled } from "../core/history/history.ts";
import type { RunOutcome } from "../core/model/change.ts";
import type { ErrorRecord, HistoryStep } from "../core/model/records.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { KnownRun } from "./known-run.ts";
import type { Ending } from "./session-end.ts";

/** A rollback that is asked for does not wait for author code: it is left where it waits. */
export class AskedRollback {
  /** Rejects with a RollbackError when author code is left. */
  readonly asked: Promise<never>;
  #reject!: (error: unknown) => void;
  /** What the run has done is being undone, whoever asked for it. */
  isUnderWay = false;

  constructor() {
    this.asked = new Promise((_resolve, reject) => {
      this.#reject = reject;
    });
    this.asked.catch(() => {});
  }

  /** @returns false: nothing asks for it, or it is under way */
  begin({ endRequested }: Pick<KnownRun, "endRequested">): boolean {
    if (endRequested !== "rollback" || this.isUnderWay) return false;
    this.isUnderWay = true;
    this.#reject(toRollbackError());
    return true;
  }
}

/** Whether a rollback that was asked for has closed a step: it tells author code nothing, nor does a replay of it. */
export const isUntold = (
  { status }: Pick<HistoryStep, "status">,
  { endRequested }: Pick<KnownRun, "endRequested">,
): boolean => status === "cancelled" && endRequested === "rollback";

/** @param cause what author code ended with meanwhile */
export const toRollbackError = (cause?: unknown): RollbackError =>
  new RollbackError("the instance was to be terminated with a rollback", { cause });

/** What a run ends with that was asked to end before it has done anything; null: its code has to be asked. */
export function endUnbegun({
  endRequested,
  settled,
  open,
  lostLeases,
}: ClaimedRun): WorkflowError | null {
  if (endRequested === null || settled.length + open.length + lostLeases > 0) return null;
  return endRequested === "cancel" ? new CancelledError() : toRollbackError();
}

/** How a run ends. @param record of the error that it failed with */
export function toOutcome(
  known: KnownRun,
  ending: Ending,
  record: (error: unknown) => ErrorRecord,
): Extract<RunOutcome, { kind: "complete" | "fail" | "terminate" }> {
  if (ending.kind === "complete")
    return known.endRequested === "cancel" && wasCancelled(known)
      ? { kind: "terminate", error: null }
      : ending;
  const error = record(ending.error);
  const code = WorkflowError.is(ending.error) ? ending.error.code : null;
  if (!isAsAsked(known, code)) return { kind: "fail", error };
  return { kind: "terminate", error: code === "CANCELLED" ? null : error };
}

/** Whether a failure is the end that was asked for. What could not be undone is to be looked at, and retried. */
function isAsAsked(known: KnownRun, code: string | null): boolean {
  if (code === "ROLLBACK_FAILED" || code === "UNDO_MISSING") return false;
  if (known.endRequested === "rollback") return code === "ROLLED_BACK";
  return known.endRequested === "cancel" && (code === "CANCELLED" || wasCancelled(known));
}

/** Whether author code was told so of a step. */
function wasCancelled(known: KnownRun): boolean {
  for (const stepKey of known.stepKeys) {
    const step = known.recordOf(stepKey);
    if (step !== null && isSettled(step) && step.error?.code === "CANCELLED") return true;
  }
  return false;
}
