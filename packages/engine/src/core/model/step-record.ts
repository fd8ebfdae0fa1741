/** A step's record and its writes: the next state of its row, and the record after the write. */
import type { StepWrite, When } from "./change.ts";
import type { EpochMs, StepRecord } from "./records.ts";

/** The state of the row after a write. */
export interface WrittenAt {
  readonly version: number;
  /** Instant of the row's insert; null if this write inserts it. */
  readonly createdAt: EpochMs | null;
  /** Database time of the commit. */
  readonly now: EpochMs;
}

/** The identity of a step at its call, whatever its type. */
export interface StepIdentity extends Pick<StepWrite, "stepKey" | "name" | "type"> {
  /** Row id to use if the step has none yet. */
  readonly newId: string;
}

/** What differs between the states of a step; the rest is copied. */
export type StepPatch = Pick<StepWrite, "status"> &
  Partial<Omit<StepWrite, "id" | "stepKey" | "name" | "type">>;

/**
 * The next state of a step: its record with a patch applied. An outcome belongs to one write. The instants of an earlier wait
 * (`nextRetry`) do not survive unless they are given; the deadline of a wait (`wake`) does.
 *
 * @param record null: the step has none
 */
export const toStepWrite = (
  { newId, stepKey, name, type }: StepIdentity,
  record: StepRecord | null,
  given: StepPatch,
): StepWrite => ({
  // Member by member, because spreading twice costs ten times as much, and this runs for every step.
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

/** The given value; undefined: the recorded one. */
const orElse = <T>(given: T | null | undefined, recorded: T | null | undefined): T | null =>
  given === undefined ? (recorded ?? null) : given;

/** The instant that a step keeps once it is recorded, whatever the code says now; null: it has none. */
export const recordedWake = (record: StepRecord | null): { readonly at: EpochMs } | null =>
  record === null || record.wakeAt === null ? null : { at: record.wakeAt };

/** The record after a write, at the database time of the commit. */
export function toStepRecord(write: StepWrite, { version, createdAt, now }: WrittenAt): StepRecord {
  const at = write.updatedAt ?? now;
  // Member by member, because spreading costs ten times as much, and this runs for every step.
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
