/** `step.sleep` and `step.sleepUntil`. */
import { decideSleep } from "../core/decide/sleep.ts";
import type { StepIdentity } from "../core/decide/step-write.ts";
import { parseDuration, type WorkflowDuration } from "../core/duration.ts";
import { WorkflowError } from "../core/errors.ts";
import type { When } from "../core/model/change.ts";
import type { Call } from "./call.ts";
import type { Session } from "./session.ts";

export function beginSleep(
  session: Session,
  call: Call,
  command: StepIdentity & { readonly wake: When },
): void {
  const decision = decideSleep(
    session.ledger.openRecordOf(call.stepKey),
    command,
    session.ledger.now,
  );
  if (decision.kind === "over") session.settle({ call, step: decision.step });
  if (decision.kind !== "wait") return;
  if (decision.step !== null) session.ledger.write(decision.step);
  const redecide = (): void => beginSleep(session, call, command);
  session.waits.set(call.stepKey, { wake: decision.wake, kind: "wake", redecide });
}

/** @throws {WorkflowError} INVALID_DURATION */
export function sleepFor(session: Session, duration: WorkflowDuration): When {
  const inMs = parseDuration(duration, "sleep duration");
  assertSleepLength(session, inMs);
  return { inMs };
}

/** @throws {WorkflowError} INVALID_DURATION */
export function sleepTo(session: Session, timestamp: Date | number): When {
  const at = typeof timestamp === "number" ? timestamp : timestamp.getTime();
  if (!Number.isFinite(at)) {
    throw new WorkflowError(
      "INVALID_DURATION",
      `sleepUntil got ${String(timestamp)}; expected a valid Date or epoch milliseconds`,
      { timestamp: String(timestamp) },
    );
  }
  assertSleepLength(session, at - session.ledger.now);
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
