/** `step.waitForEvent`. */
import type { ReceivedEvent, WaitForEventOptions } from "../authoring/step.ts";
import type { StepIdentity } from "../core/decide/step-write.ts";
import { decideWaitForEvent, type WaitForEventCommand } from "../core/decide/wait-for-event.ts";
import { parseDuration } from "../core/duration.ts";
import { WorkflowError } from "../core/errors.ts";
import { parseEventType } from "../core/limits.ts";
import type { DurationMs, StepRecord } from "../core/model/records.ts";
import type { Call, CallDecision } from "./call.ts";
import type { Session } from "./session.ts";

/** What is to become of a call of a wait, whenever it is looked at. */
export function toWaitDecision(session: Session, command: WaitForEventCommand): Call["decide"] {
  const { known } = session;
  warnRetyped(session, known.openRecordOf(command.stepKey), command);
  return (): CallDecision => {
    const record = known.openRecordOf(command.stepKey);
    const decision = decideWaitForEvent(record, command, {
      now: known.now,
      events: known.events.list,
      knownSequence: known.events.readAfter(command.eventType),
    });
    const { eventType } = command;
    if (decision.kind !== "deliver" && known.events.isUnread(eventType))
      return { kind: "read", eventType };
    if (decision.kind !== "wait") return { ...decision, kind: "settle" };
    return { ...decision, reason: "wake" };
  };
}

/** Logs that the code asks for another type of event than history has. */
function warnRetyped(
  session: Session,
  record: StepRecord | null,
  { stepKey, eventType: called }: WaitForEventCommand,
): void {
  if (record === null || record.waitEventType === called) return;
  const recorded = record.waitEventType;
  session.warn("history.diverged", { stepKey, recorded, called, code: "HISTORY_DIVERGED" });
}

/** @throws {WorkflowError} INVALID_DURATION, INVALID_EVENT_TYPE */
export function toWaitCommand(
  session: Session,
  options: WaitForEventOptions,
): Omit<WaitForEventCommand, keyof StepIdentity> {
  return {
    eventType: parseEventType(options.type, session.context.limits),
    timeoutMs: toTimeoutMs(session, options.timeout),
    since: options.since ?? "run",
  };
}

/** @throws {WorkflowError} INVALID_DURATION */
export function toTimeoutMs(
  { context: { limits } }: Session,
  timeout: WaitForEventOptions["timeout"],
): DurationMs {
  const timeoutMs =
    timeout === undefined ? limits.defaultEventTimeoutMs : parseDuration(timeout, "timeout");
  const { minEventTimeoutMs: min, maxEventTimeoutMs: max } = limits;
  if (timeoutMs < min || timeoutMs > max) {
    throw new WorkflowError(
      "INVALID_DURATION",
      `an event timeout of ${timeoutMs} ms is outside ${min} to ${max} ms`,
      { timeoutMs, min, max },
    );
  }
  return timeoutMs;
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
