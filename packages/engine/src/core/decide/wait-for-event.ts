/** What a call of `step.waitForEvent` means, given history and the events that have arrived. */
import type { StepWrite, When } from "../model/change.ts";
import type { DurationMs, EpochMs, EventRecord, JsonText, StepRecord } from "../model/records.ts";
import { type StepIdentity, toStepWrite } from "./step-write.ts";

export interface WaitForEventCommand extends StepIdentity {
  readonly eventType: string;
  readonly timeoutMs: DurationMs;
  /** `wait`: only events accepted after the wait was recorded. `run`: any of this run. */
  readonly since: "run" | "wait";
}

/** As `SleepDecision`; `deliver`: an event satisfies the wait; `timeout`: the deadline passed without one. */
export type WaitForEventDecision =
  | { readonly kind: "settled" }
  | { readonly kind: "deliver"; readonly event: EventRecord; readonly step: StepWrite }
  | { readonly kind: "timeout"; readonly step: StepWrite }
  | { readonly kind: "wait"; readonly wake: When; readonly step: StepWrite | null };

/**
 * The oldest unconsumed event of the type wins; the deadline is hard and is compared with the event's own instant, so
 * an event in time is delivered however late it is processed, and a late one never.
 *
 * @param events unconsumed events of this run, oldest first
 * @source founding specs 000 §9.5, 002 §4.4
 */
export function decideWaitForEvent(
  record: StepRecord | null,
  command: WaitForEventCommand,
  situation: { readonly now: EpochMs; readonly events: readonly EventRecord[] },
): WaitForEventDecision {
  if (record?.status === "completed" || record?.status === "errored") return { kind: "settled" };
  const wake: When =
    record === null || record.wakeAt === null ? { inMs: command.timeoutMs } : { at: record.wakeAt };
  const event = situation.events.find((candidate) => isEligible(candidate, record, command));
  if (event !== undefined)
    return { kind: "deliver", event, step: delivered(record, command, { event, wake }) };
  if ("at" in wake && wake.at <= situation.now)
    return { kind: "timeout", step: timedOut(record, command) };
  if (record !== null) return { kind: "wait", wake, step: null };
  const step = toStepWrite(command, null, {
    status: "waiting",
    wake,
    waitEventType: command.eventType,
  });
  return { kind: "wait", wake, step };
}

function isEligible(
  event: EventRecord,
  record: StepRecord | null,
  command: WaitForEventCommand,
): boolean {
  if (event.type !== command.eventType) return false;
  if (record === null) return command.since === "run";
  const inTime = record.wakeAt === null || event.createdAt <= record.wakeAt;
  return inTime && (command.since === "run" || event.createdAt >= record.createdAt);
}

function delivered(
  record: StepRecord | null,
  command: WaitForEventCommand,
  match: { readonly event: EventRecord; readonly wake: When },
): StepWrite {
  const result = toEventResult(match.event);
  const { wake } = match;
  return toStepWrite(command, record, {
    status: "completed",
    wake,
    waitEventType: command.eventType,
    result,
  });
}

/** The stored result of a wait: the event's type, instant and payload, as JSON text around the payload's own text. */
const toEventResult = (event: EventRecord): JsonText =>
  `{"type":${JSON.stringify(event.type)},"createdAt":${event.createdAt}` +
  `${event.payload === null ? "" : `,"payload":${event.payload}`}}`;

function timedOut(record: StepRecord | null, command: WaitForEventCommand): StepWrite {
  const message = `no event of type "${command.eventType}" arrived in time for step "${command.name}"`;
  return toStepWrite(command, record, {
    status: "errored",
    error: { name: "EventTimeout", message },
  });
}
