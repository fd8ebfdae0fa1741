/** Decides what a call of `step.waitForEvent` does, given history and the events that have arrived. */
import { createErrorRecord } from "../stored-error.ts";
import { toRetypedMark } from "../history/diverged-steps.ts";
import type { StepWrite, When } from "../model/change.ts";
import type { DurationMs, EpochMs, EventRecord, JsonText, StepRecord } from "../model/records.ts";
import { recordedWake, type StepIdentity, toStepWrite } from "../model/step-record.ts";

export interface WaitForEventCommand extends StepIdentity {
  readonly eventType: string;
  readonly timeoutMs: DurationMs;
  /** `wait`: only events accepted after the wait was recorded, and none that was known then. `run`: any event of this run. */
  readonly since: "run" | "wait";
}

/**
 * Like `SleepDecision`; `deliver`: an event satisfies the wait; `timeout`: the deadline passed without one. A wait also has a `step`
 * if the code now asks for another type than history has: the new type applies, and a mark on the row names the old one.
 */
export type WaitForEventDecision =
  | {
      readonly kind: "deliver";
      readonly event: EventRecord;
      readonly step: StepWrite;
      readonly at: EpochMs | null;
    }
  | { readonly kind: "timeout"; readonly step: StepWrite; readonly at: EpochMs }
  | { readonly kind: "wait"; readonly wake: When; readonly step: StepWrite | null };

export interface WaitSituation {
  readonly now: EpochMs;
  /** Unconsumed events of this run, oldest first. */
  readonly events: readonly EventRecord[];
  /** All events of the type up to this sequence are known. */
  readonly knownSequence: number;
}

/**
 * The oldest unconsumed event of the type wins. The deadline is hard and is compared with the event's own instant: an event in time
 * is delivered however late it is processed, and a late event is never delivered.
 *
 * @source founding specs 000 §9.5, 002 §4.4
 */
export function decideWaitForEvent(
  record: StepRecord | null,
  command: WaitForEventCommand,
  situation: WaitSituation,
): WaitForEventDecision {
  const wake: When = recordedWake(record) ?? { inMs: command.timeoutMs };
  const event = situation.events.find((candidate) => isEligible(candidate, record, command));
  if (event !== undefined) {
    const at = record === null ? null : Math.max(event.createdAt, record.createdAt);
    return { kind: "deliver", event, step: delivered(record, command, { event, wake }), at };
  }
  if ("at" in wake && wake.at <= situation.now)
    return { kind: "timeout", step: timedOut(record, command), at: wake.at };
  if (record !== null && record.waitEventType === command.eventType)
    return { kind: "wait", wake, step: null };
  const step = toStepWrite(command, record, {
    status: "waiting",
    wake,
    waitEventType: command.eventType,
    result: record === null ? toMark(command, situation) : record.result,
    error: record === null ? null : toRetypedMark(record, command.eventType),
  });
  return { kind: "wait", wake, step };
}

/**
 * While a wait that takes only later events is open, its row's `result` is the sequence up to which events were known when the wait
 * was recorded, because the order of two instants within one millisecond is not known.
 */
const toMark = (command: WaitForEventCommand, { knownSequence }: WaitSituation): JsonText | null =>
  command.since === "wait" ? String(knownSequence) : null;

/** An event from before the wait: by the sequence that was known then, and for later ones by the database's clock. */
const isEarlier = (event: EventRecord, wait: StepRecord): boolean =>
  event.sequence <= Number(wait.result ?? 0) || event.createdAt < wait.createdAt;

function isEligible(
  event: EventRecord,
  record: StepRecord | null,
  command: WaitForEventCommand,
): boolean {
  if (event.type !== command.eventType) return false;
  if (record === null) return command.since === "run";
  const inTime = record.wakeAt === null || event.createdAt <= record.wakeAt;
  return inTime && (command.since === "run" || !isEarlier(event, record));
}

function delivered(
  record: StepRecord | null,
  command: WaitForEventCommand,
  match: { readonly event: EventRecord; readonly wake: When },
): StepWrite {
  return toStepWrite(command, record, {
    status: "completed",
    wake: match.wake,
    waitEventType: command.eventType,
    result: toEventResult(match.event),
  });
}

/** The stored result of a wait: the event's ids, type, instant and payload, as JSON text around the payload's own text. */
export const toEventResult = (event: EventRecord): JsonText =>
  `{"type":${JSON.stringify(event.type)},"createdAt":${event.createdAt},"id":${JSON.stringify(event.id)}` +
  (event.eventId === null ? "" : `,"eventId":${JSON.stringify(event.eventId)}`) +
  `${event.payload === null ? "" : `,"payload":${event.payload}`}}`;

function timedOut(record: StepRecord | null, command: WaitForEventCommand): StepWrite {
  const message = `no event of type "${command.eventType}" arrived in time for step "${command.name}"`;
  return toStepWrite(command, record, {
    status: "errored",
    error: createErrorRecord("EVENT_TIMEOUT", { name: "EventTimeout", message }),
  });
}
