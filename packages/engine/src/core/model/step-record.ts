/** A step's record and its writes: what a write carries over from the record, and the record after it. */
import type { StepWrite, When } from "./change.ts";
import type { EpochMs, StepRecord } from "./records.ts";

/** The write itself, and what is known of its row. */
export interface WrittenAt {
  readonly version: number;
  /** Instant of the row's insert; null if this write inserts it. */
  readonly createdAt: EpochMs | null;
  /** Database time of the commit. */
  readonly now: EpochMs;
}

type CarriedOver = Omit<
  StepWrite,
  "id" | "stepKey" | "name" | "type" | "status" | "nextRetry" | "wake"
>;

/** What the next write says unless its call says otherwise; an outcome belongs to one write. @param record null: the step has none */
export const carryOver = (record: StepRecord | null): CarriedOver => ({
  attempts: record?.attempts ?? 0,
  lostAttempts: record?.lostAttempts ?? 0,
  maxAttempts: record?.maxAttempts ?? 1,
  timeoutMs: record?.timeoutMs ?? null,
  waitEventType: record?.waitEventType ?? null,
  result: null,
  error: null,
  settledOrder: null,
  updatedAt: null,
});

/** The record after a write, at the database time of the commit. */
export function toStepRecord(write: StepWrite, { version, createdAt, now }: WrittenAt): StepRecord {
  const at = write.updatedAt ?? now;
  // Member by member: spreading costs ten times as much, and this runs for every step.
  return {
    id: write.id,
    stepKey: write.stepKey,
    name: write.name,
    type: write.type,
    status: write.status,
    attempts: write.attempts,
    lostAttempts: write.lostAttempts,
    maxAttempts: write.maxAttempts,
    timeoutMs: write.timeoutMs,
    nextRetryAt: toInstant(write.nextRetry, at),
    wakeAt: toInstant(write.wake, at),
    waitEventType: write.waitEventType,
    result: write.result,
    error: write.error,
    settledOrder: write.settledOrder,
    version,
    createdAt: createdAt ?? at,
    updatedAt: at,
  };
}

const toInstant = (when: When | null, now: EpochMs): EpochMs | null =>
  when === null ? null : "at" in when ? when.at : now + when.inMs;
