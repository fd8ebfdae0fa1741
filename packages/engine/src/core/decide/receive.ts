/** Decides what a call of `step.receive` does, given history and the events that have arrived. */
import { utf8Size } from "../plain-codec.ts";
import { toRetypedMark } from "../history/diverged-steps.ts";
import type { StepWrite, When } from "../model/change.ts";
import type { DurationMs, EpochMs, EventRecord, StepRecord } from "../model/records.ts";
import { recordedWake, type StepIdentity, toStepWrite } from "../model/step-record.ts";
import { toEventResult } from "./wait-for-event.ts";

export interface ReceiveCommand extends StepIdentity {
  readonly types: readonly string[];
  /** The types as one text, made by `toWaitTypes`. */
  readonly waitTypes: string;
  /** The smallest and the largest number of events. 1 ≤ `min` ≤ `count`. */
  readonly min: number;
  readonly count: number;
  readonly timeoutMs: DurationMs;
  /** UTF-8 bytes of the result. A first event that is larger is taken anyway. */
  readonly maxBytes: number;
}

/**
 * Like `WaitForEventDecision`, with any number of events. `read`: there may be more events than are known, and the batch has room
 * for them.
 */
export type ReceiveDecision =
  | {
      readonly kind: "deliver";
      readonly events: readonly EventRecord[];
      /** Absent: the time was up. */
      readonly completedBy?: EventRecord | undefined;
      readonly step: StepWrite;
      readonly at: EpochMs | null;
    }
  | { readonly kind: "read" }
  | { readonly kind: "wait"; readonly wake: When; readonly step: StepWrite | null };

export interface ReceiveSituation {
  readonly now: EpochMs;
  /** Unconsumed events of this run, oldest first; no event of the command's types is missing between them. */
  readonly events: readonly EventRecord[];
  /** There may be more events of these types after them. */
  readonly mayBeMore: boolean;
}

/**
 * A batch is complete when it is full, or when it has `min` events and there is no other; at the deadline it is complete with what
 * it has, even if that is nothing. An event counts as late by its own instant, as with a wait for one event.
 */
export function decideReceive(
  record: StepRecord | null,
  command: ReceiveCommand,
  { now, events, mayBeMore }: ReceiveSituation,
): ReceiveDecision {
  const wake: When = recordedWake(record) ?? { inMs: command.timeoutMs };
  const eligible = events.filter((event) => isEligible(event, record, command));
  const { batch, isFull } = fill(eligible, command);
  if (!isFull && mayBeMore) return { kind: "read" };
  const isComplete = isFull || batch.length >= command.min;
  const deadline = "at" in wake && wake.at <= now ? wake.at : null;
  if (isComplete || deadline !== null) {
    const last = batch[Math.min(command.min, batch.length) - 1];
    const step = delivered(record, command, batch);
    return isComplete
      ? { kind: "deliver", events: batch, completedBy: last, step, at: toInstant(last, record) }
      : { kind: "deliver", events: batch, step, at: deadline };
  }
  return { kind: "wait", wake, step: toWaiting(record, command, wake) };
}

/** When the batch became complete; null: at its call. */
const toInstant = (last: EventRecord | undefined, record: StepRecord | null): EpochMs | null =>
  record === null || last === undefined ? null : Math.max(last.createdAt, record.createdAt);

function isEligible(
  event: EventRecord,
  record: StepRecord | null,
  { types }: ReceiveCommand,
): boolean {
  if (!types.includes(event.type)) return false;
  const wakeAt = record?.wakeAt ?? null;
  return wakeAt === null || event.createdAt <= wakeAt;
}

/** As many of the oldest events as fit. */
function fill(
  eligible: readonly EventRecord[],
  { count, maxBytes }: ReceiveCommand,
): { readonly batch: readonly EventRecord[]; readonly isFull: boolean } {
  let bytes = 2;
  const candidates = eligible.slice(0, count);
  const end = candidates.findIndex((event, index) => {
    bytes += utf8Size(toEventResult(event)) + 1;
    return index > 0 && bytes > maxBytes;
  });
  const batch = end === -1 ? candidates : candidates.slice(0, end);
  return { batch, isFull: end !== -1 || batch.length === count };
}

const delivered = (
  record: StepRecord | null,
  command: ReceiveCommand,
  batch: readonly EventRecord[],
): StepWrite =>
  toStepWrite(command, record, {
    status: "completed",
    wake: recordedWake(record) ?? { inMs: command.timeoutMs },
    waitEventType: command.waitTypes,
    result: `[${batch.map(toEventResult).join(",")}]`,
  });

/** null: the row already says so. */
function toWaiting(
  record: StepRecord | null,
  command: ReceiveCommand,
  wake: When,
): StepWrite | null {
  const { waitTypes } = command;
  if (record?.waitEventType === waitTypes) return null;
  const error = record === null ? null : toRetypedMark(record, waitTypes);
  return toStepWrite(command, record, { status: "waiting", wake, waitEventType: waitTypes, error });
}
