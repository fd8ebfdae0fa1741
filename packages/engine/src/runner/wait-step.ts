/** `step.waitForEvent`. */
import type { ReceivedEvent, WaitForEventOptions } from "../authoring/step.ts";
import type { StepIdentity } from "../core/decide/step-write.ts";
import { decideWaitForEvent, type WaitForEventCommand } from "../core/decide/wait-for-event.ts";
import { parseDuration } from "../core/duration.ts";
import { WorkflowError } from "../core/errors.ts";
import { parseEventType } from "../core/limits.ts";
import type { Call } from "./call.ts";
import type { Session } from "./session.ts";

export function beginWait(session: Session, call: Call, command: WaitForEventCommand): void {
  const record = session.ledger.openRecordOf(call.stepKey);
  const decision = decideWaitForEvent(record, command, {
    now: session.ledger.now,
    events: session.ledger.events,
  });
  if (decision.kind === "settled") return;
  if (decision.kind === "wait") {
    if (decision.step !== null) session.ledger.write(decision.step);
    const redecide = (): void => beginWait(session, call, command);
    session.waits.set(call.stepKey, { wake: decision.wake, kind: "wake", redecide });
    return;
  }
  session.settle({ call, ...decision });
}

/** @throws {WorkflowError} INVALID_DURATION, INVALID_EVENT_TYPE */
export function toWaitCommand(
  session: Session,
  identity: StepIdentity,
  options: WaitForEventOptions,
): WaitForEventCommand {
  const { limits } = session.context;
  const timeoutMs =
    options.timeout === undefined
      ? limits.defaultEventTimeoutMs
      : parseDuration(options.timeout, "timeout");
  const { minEventTimeoutMs: min, maxEventTimeoutMs: max } = limits;
  if (timeoutMs < min || timeoutMs > max) {
    throw new WorkflowError(
      "INVALID_DURATION",
      `an event timeout of ${timeoutMs} ms is outside ${min} to ${max} ms`,
      { timeoutMs, min, max },
    );
  }
  return {
    ...identity,
    eventType: parseEventType(options.type, limits),
    timeoutMs,
    since: options.since ?? "run",
  };
}

/** The stored result of a wait as authors see it. */
export function toReceivedEvent(value: unknown): ReceivedEvent<unknown> {
  const stored = value as {
    readonly type: string;
    readonly createdAt: number;
    readonly payload?: unknown;
  };
  return {
    type: stored.type,
    payload: stored.payload as Readonly<unknown>,
    timestamp: new Date(stored.createdAt),
  };
}

/** A timeout as a value. */
export function timeoutAsNull(error: unknown): null {
  if (WorkflowError.is(error) && error.code === "EVENT_TIMEOUT") return null;
  throw error;
}
