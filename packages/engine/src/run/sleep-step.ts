/** `step.sleep` and `step.sleepUntil`. */
import { decideSleep, type SleepCommand } from "../core/decide/sleep.ts";
import { parseDuration, type WorkflowDuration } from "../core/duration.ts";
import type { When } from "../core/model/change.ts";
import type { Call, CallDecision } from "./call.ts";
import type { StepKind } from "./open-call.ts";
import type { Session } from "./session-interface.ts";
import { Refusal } from "./refusal.ts";

/** @param toWake computes the end of the sleep from the argument; it throws if the call is refused */
export const createSleepKind = <TGiven>(
  session: Session,
  toWake: (given: TGiven) => When,
): StepKind<TGiven, When> => ({
  type: "sleep",
  check(given) {
    const wake = toWake(given);
    assertSleepLength(session, "at" in wake ? wake.at - session.known.now : wake.inMs);
    return wake;
  },
  toDecide: (identity, wake) => toSleepDecision(session, { ...identity, wake }),
});

/** Returns the decision function of a sleep. */
function toSleepDecision(session: Session, command: SleepCommand): Call["decide"] {
  const { known } = session;
  return (): CallDecision => {
    const decision = decideSleep(known.openRecordOf(command.stepKey), command, known.now);
    if (decision.kind === "over") return { kind: "settle", at: decision.at, step: decision.step };
    return { ...decision, reason: "wake" };
  };
}

/** @throws {WorkflowError | Refusal} INVALID_DURATION */
export function sleepFor(duration: WorkflowDuration): When {
  // JavaScript callers can pass what the types forbid.
  const given: unknown = duration;
  if (given === undefined) throw new Refusal((texts) => texts.sleepWithoutDuration());
  if (given instanceof Date) throw new Refusal((texts) => texts.sleepOfDate());
  return { inMs: parseDuration(duration, "sleep duration") };
}

/** @throws {Refusal} INVALID_DURATION */
function assertSleepLength(session: Session, durationMs: number): void {
  const { maxSleepMs } = session.context.limits;
  if (durationMs > maxSleepMs)
    throw new Refusal((texts) => texts.sleepTooLong(durationMs, maxSleepMs));
}
