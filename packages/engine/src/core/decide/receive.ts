/** What a call of `step.receive` means, given history and the events that have arrived. */
import { utf8Size } from "../plain-codec.ts";
import { toRetypedMark } from "../history/diverged-steps.ts";
import type { StepWrite, When } from "../model/change.ts";
import type { DurationMs, EpochMs, EventRecord, StepRecord } from "../model/records.ts";
import { recordedWake, type StepIdentity, toStepWrite } from "../model/step-record.ts";
import { toEventResult } from "./wait-for-event.ts";

export interface ReceiveCommand extends StepIdentity {
  readonly types: readonly string[];
  /** `toWaitTypes` of them. */
  readonly waitTypes: string;
  /** Events at least, and at most. 1 ≤ `min` ≤ `count`. */
  readonly min: number;
  readonly count: number;
  readonly timeoutMs: DurationMs;
  /** UTF-8 bytes of the result; a first event that is larger is taken all the same. */
  readonly maxBytes: number;
}

/**
 * As `WaitForEventDecision`, with any number of events. `read`: more of them may be there than are known, and the batch has
 * room.
 */
export type ReceiveDecision =
  | {
      readonly kind: "deliver";
      readonly events: readonly EventRecord[];
      /** Absent: time was up. */
      readonly completedBy?: EventRecord | undefined;
      readonly step: StepWrite;
      readonly at: EpochMs | null;
    }
  | { readonly kind: "read" }
  | { readonly kind: "wait"; readonly wake: When; readonly step: StepWrite | null };

export interface ReceiveSituation {
  readonly now: EpochMs;
  /** Unconsumed events of this run, oldest first; of the command's types none is missing between them. */
  readonly events: readonly EventRecord[];
  /** There may be others of these types behind them. */
  readonly mayBeMore: boolean;
}

/**
 * A batch is complete when it is full, or when it has `min` events and no other is there; at the deadline it is what it is,
 * also empty. Events are told from late ones by their own instants, as those of a wait for one event.
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

/** When the batch became complete; null: with its call. */
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

/** As many of the oldest as there is room for. */
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

/** null: the row says so already. */
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
