/** A step's record and its writes: the whole next state of its row, and the record after it. */
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

/** What a call of a step says of itself, whatever its type. */
export interface StepIdentity extends Pick<StepWrite, "stepKey" | "name" | "type"> {
  /** Row id to use if the step has none yet. */
  readonly newId: string;
}

/** What differs between the states of a step; the rest is carried over. */
export type StepPatch = Pick<StepWrite, "status"> &
  Partial<Omit<StepWrite, "id" | "stepKey" | "name" | "type">>;

/**
 * The whole next state of a step: what its record says, with what is given applied. An outcome belongs to one write; the instants
 * of an earlier wait (`nextRetry`) do not survive unless they are given; the deadline of a wait (`wake`) does.
 *
 * @param record null: the step has none
 */
export const toStepWrite = (
  { newId, stepKey, name, type }: StepIdentity,
  record: StepRecord | null,
  given: StepPatch,
): StepWrite => ({
  // Member by member: spreading twice costs ten times as much, and this runs for every step.
  id: record?.id ?? newId,
  stepKey,
  name,
  type,
  status: given.status,
  attempts: given.attempts ?? record?.attempts ?? 0,
  lostAttempts: given.lostAttempts ?? record?.lostAttempts ?? 0,
  maxAttempts: given.maxAttempts ?? record?.maxAttempts ?? 1,
  timeoutMs: orElse(given.timeoutMs, record?.timeoutMs),
  waitEventType: orElse(given.waitEventType, record?.waitEventType),
  result: given.result ?? null,
  error: given.error ?? null,
  attemptStartedAt: orElse(given.attemptStartedAt, record?.attemptStartedAt),
  runner: orElse(given.runner, record?.runner),
  failedAttempts: orElse(given.failedAttempts, record?.failedAttempts),
  settledOrder: given.settledOrder ?? null,
  updatedAt: given.updatedAt ?? null,
  nextRetry: given.nextRetry ?? null,
  wake: orElse(given.wake, recordedWake(record)),
});

/** What is not said at all is as it was. */
const orElse = <T>(given: T | null | undefined, recorded: T | null | undefined): T | null =>
  given === undefined ? (recorded ?? null) : given;

/** The instant that a step once recorded keeps, whatever the code says now; null: it has none. */
export const recordedWake = (record: StepRecord | null): { readonly at: EpochMs } | null =>
  record === null || record.wakeAt === null ? null : { at: record.wakeAt };

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
    attemptStartedAt: write.attemptStartedAt,
    runner: write.runner,
    failedAttempts: write.failedAttempts,
    settledOrder: write.settledOrder,
    version,
    createdAt: createdAt ?? at,
    updatedAt: at,
  };
}

const toInstant = (when: When | null, now: EpochMs): EpochMs | null =>
  when === null ? null : "at" in when ? when.at : now + when.inMs;
