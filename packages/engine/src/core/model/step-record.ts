/** What a step's record is after a write, at the database time of the commit. */
import type { StepWrite, When } from "./change.ts";
import type { EpochMs, StepRecord } from "./records.ts";

/** @param createdAt instant of the row's insert; null if this write inserts it */
export function toStepRecord(
  write: StepWrite,
  createdAt: EpochMs | null,
  now: EpochMs,
): StepRecord {
  const { nextRetry, wake, ...rest } = write;
  return {
    ...rest,
    nextRetryAt: toInstant(nextRetry, now),
    wakeAt: toInstant(wake, now),
    createdAt: createdAt ?? now,
    updatedAt: now,
  };
}

const toInstant = (when: When | null, now: EpochMs): EpochMs | null =>
  when === null ? null : "at" in when ? when.at : now + when.inMs;
