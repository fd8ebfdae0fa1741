/** @module `step.progress`: an entry between steps; with `ctx.progress`. Loaded when a run first calls one of them. */
import { toStepWrite } from "../core/model/step-record.ts";
import { assertInvariant } from "../core/errors.ts";
import { isSettled } from "../core/history/history.ts";
import type { ProgressMade } from "../core/model/change.ts";
import type { CallDecision } from "./call.ts";
import type { StepKind } from "./open-call.ts";
import type { Called } from "./open-prepared.ts";
import type { Carry } from "./pending-changes.ts";
import { othersOf } from "./other-pending.ts";
import { toProgressMade } from "./report-progress.ts";

export { tellProgress } from "./report-progress.ts";

/** A call of `step.progress`. */
export interface CalledProgress extends Called {
  readonly value: unknown;
}

/**
 * Encodes the value, unless the entry exists already, because the limit may be lower by now.
 *
 * @returns a function that opens the step
 * @throws {WorkflowError} NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE
 */
export function prepareProgress(called: CalledProgress): () => void {
  const { session, place, identified, outcome, open, value } = called;
  const { record, stepKey } = identified;
  const isMade = record !== null && isSettled(record);
  const made = isMade ? null : toProgressMade(session.context, { stepKey, attempt: null }, value);
  return () => outcome.follow(open(place, PROGRESS, identified, made));
}

type Entry = ProgressMade | null;

const PROGRESS: StepKind<Entry, Entry> = {
  type: "progress",
  check: (made) => made,
  toDecide(identity, made) {
    const { stepKey } = identity;
    assertInvariant(made !== null, "progress was recorded without being encoded", { stepKey });
    const step = toStepWrite(identity, null, { status: "completed" });
    const carry: Carry = (pending) => othersOf(pending).progress.add(made);
    return (): CallDecision => ({ kind: "settle", at: null, step, carry });
  },
};
