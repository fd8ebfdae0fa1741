/** `step.waitForEvent`. */
import type { EventData, ReceivedEvent, WaitForEventOptions } from "../authoring/events.ts";
import type { StepIdentity } from "../core/model/step-record.ts";
import { decideWaitForEvent, type WaitForEventCommand } from "../core/decide/wait-for-event.ts";
import { parseDuration } from "../core/duration.ts";
import { WorkflowError } from "../core/errors.ts";
import { parseEventType } from "../core/limits.ts";
import type { DurationMs, StepRecord } from "../core/model/records.ts";
import type { Call, CallDecision } from "./call.ts";
import { createReply } from "./reply.ts";
import type { Session } from "./session.ts";

/** What is to become of a call of a wait, whenever it is looked at. */
export function toWaitDecision(session: Session, command: WaitForEventCommand): Call["decide"] {
  const { known } = session;
  const { stepKey, eventType: called } = command;
  warnRetyped(session, known.openRecordOf(stepKey), { stepKey, called });
  return (): CallDecision => {
    const record = known.openRecordOf(command.stepKey);
    const decision = decideWaitForEvent(record, command, {
      now: known.now,
      events: known.events.list,
      knownSequence: known.events.readAfter(command.eventType),
    });
    const { eventType } = command;
    if (decision.kind !== "deliver" && known.events.isUnread(eventType))
      return { kind: "read", eventTypes: [eventType] };
    if (decision.kind !== "wait") return { ...decision, kind: "settle" };
    return { ...decision, reason: "wake" };
  };
}

/** Logs that the code asks for another type of event than history has. */
export function warnRetyped(
  session: Session,
  record: StepRecord | null,
  { stepKey, called }: { readonly stepKey: string; readonly called: string },
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

/** The stored result of a wait, or one of those of a `receive`. */
interface StoredEvent {
  /** Absent from what earlier versions have stored. */
  readonly id?: string;
  readonly eventId?: string;
  readonly type: string;
  readonly createdAt: number;
  readonly payload?: unknown;
}

/** An event as authors see it. @param value a `StoredEvent` */
export function toEventData(value: unknown): EventData<unknown> {
  const { type, payload, createdAt, eventId } = value as StoredEvent;
  return {
    type,
    payload: payload as Readonly<unknown>,
    timestamp: new Date(createdAt),
    ...(eventId === undefined ? {} : { eventId }),
  };
}

/** The same with its `reply`, which no copy of it has: an event may be returned, and kept as a result. */
export function toReceivedEvent(
  session: Session,
  {
    value,
    ...taken
  }: { readonly value: unknown; readonly stepKey: string; readonly index: number },
): ReceivedEvent<unknown> {
  const { id, eventId } = value as StoredEvent;
  const reply = createReply(session, { ...taken, id, eventId });
  return Object.defineProperty(toEventData(value), "reply", {
    value: reply,
  }) as ReceivedEvent<unknown>;
}

/** A timeout as a value. */
export function timeoutAsNull(error: unknown): null {
  if (WorkflowError.is(error) && error.code === "EVENT_TIMEOUT") return null;
  throw error;
}
