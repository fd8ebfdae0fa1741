/** `step.sleepUntil`. Loaded when a run first calls it. */
import { WorkflowError } from "../core/errors.ts";
import type { When } from "../core/model/change.ts";
import { showValue } from "../core/show-value.ts";
import type { StepKind } from "./open-call.ts";
import type { Session } from "./session.ts";
import { assertSleepLength, toSleepDecision } from "./sleep-step.ts";

export const createSleepUntilKind = (session: Session): StepKind<Date | number, When> => ({
  type: "sleep",
  check: (timestamp) => sleepTo(session, timestamp),
  toDecide: (identity, wake) => toSleepDecision(session, { ...identity, wake }),
});

/** @throws {WorkflowError} INVALID_DURATION */
function sleepTo(session: Session, timestamp: Date | number): When {
  const at = timestamp instanceof Date ? timestamp.getTime() : timestamp;
  if (!Number.isFinite(at)) {
    const shown = timestamp instanceof Date ? "an invalid Date" : showValue(timestamp);
    throw new WorkflowError(
      "INVALID_DURATION",
      `sleepUntil got ${shown}; expected a valid Date or epoch milliseconds`,
      { timestamp: shown },
    );
  }
  assertSleepLength(session, at - session.known.now);
  return { at: Math.round(at) };
}
