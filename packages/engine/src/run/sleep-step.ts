/** `step.sleep`. */
import { decideSleep, type SleepCommand } from "../core/decide/sleep.ts";
import { parseDuration, type WorkflowDuration } from "../core/duration.ts";
import type { When } from "../core/model/change.ts";
import type { Call, CallDecision } from "./call.ts";
import type { Session } from "./session.ts";
import { Refusal } from "./refusal.ts";

/** What is to become of a call of a sleep, whenever it is looked at. */
export function toSleepDecision(session: Session, command: SleepCommand): Call["decide"] {
  const { known } = session;
  return (): CallDecision => {
    const decision = decideSleep(known.openRecordOf(command.stepKey), command, known.now);
    if (decision.kind === "over") return { kind: "settle", at: decision.at, step: decision.step };
    return { ...decision, reason: "wake" };
  };
}

/** @throws {WorkflowError | Refusal} INVALID_DURATION */
export function sleepFor(session: Session, duration: WorkflowDuration): When {
  if (duration === undefined) throw new Refusal((texts) => texts.sleepWithoutDuration());
  const inMs = parseDuration(duration, "sleep duration");
  assertSleepLength(session, inMs);
  return { inMs };
}

/** @throws {Refusal} INVALID_DURATION */
export function assertSleepLength(session: Session, durationMs: number): void {
  const { maxSleepMs } = session.context.limits;
  if (durationMs > maxSleepMs)
    throw new Refusal((texts) => texts.sleepTooLong(durationMs, maxSleepMs));
}
