/** `step.sleep` and `step.sleepUntil`. */
import { decideSleep, type SleepCommand } from "../core/decide/sleep.ts";
import { parseDuration, type WorkflowDuration } from "../core/duration.ts";
import { WorkflowError } from "../core/errors.ts";
import type { When } from "../core/model/change.ts";
import { showValue } from "../core/show-value.ts";
import type { Call, CallDecision } from "./call.ts";
import type { Session } from "./session.ts";

/** What is to become of a call of a sleep, whenever it is looked at. */
export function toSleepDecision(session: Session, command: SleepCommand): Call["decide"] {
  const { known } = session;
  return (): CallDecision => {
    const decision = decideSleep(known.openRecordOf(command.stepKey), command, known.now);
    if (decision.kind === "over") return { kind: "settle", at: decision.at, step: decision.step };
    return { ...decision, reason: "wake" };
  };
}

/** @throws {WorkflowError} INVALID_DURATION */
export function sleepFor(session: Session, duration: WorkflowDuration): When {
  // Of two arguments there was one, and it counted as the name.
  if (duration === undefined)
    throw new WorkflowError(
      "INVALID_DURATION",
      "step.sleep takes a name and then a duration; got one of them",
      { what: "sleep duration" },
    );
  const inMs = parseDuration(duration, "sleep duration");
  assertSleepLength(session, inMs);
  return { inMs };
}

/** @throws {WorkflowError} INVALID_DURATION */
export function sleepTo(session: Session, timestamp: Date | number): When {
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

function assertSleepLength(session: Session, durationMs: number): void {
  const { maxSleepMs } = session.context.limits;
  if (durationMs <= maxSleepMs) return;
  throw new WorkflowError(
    "INVALID_DURATION",
    `a sleep of ${durationMs} ms is longer than the limit of ${maxSleepMs} ms`,
    { durationMs, maxSleepMs },
  );
}
