/**
 * The columns of a step: one list for what is selected and what a commit writes, and beside it how a row becomes a record and a
 * write becomes a row. The types ensure that no column is missing anywhere. Columns of instants end in `At`.
 */
import type { StepChange, When } from "../../core/model/change.ts";
import type { DurationMs, EpochMs, JsonText, StepRecord } from "../../core/model/records.ts";
import { toDetailText } from "../../core/stored-error.ts";
import { toError } from "./records.ts";
import type { LeasedRow, StepRow } from "./rows.ts";

/** How a commit writes a column of a step. */
export interface StepColumn {
  /** `instant`: given as a `When`. `past`: an instant. `stamp`: the database's time of the write, unless the step settles. */
  readonly type: "text" | "bigint" | "instant" | "past" | "stamp";
  /** Keeps the value of the step's first write. */
  readonly isKept?: boolean;
}

const KEPT: StepColumn = { type: "text", isKept: true };
const TEXT: StepColumn = { type: "text" };
const NUMBER: StepColumn = { type: "bigint" };
const INSTANT: StepColumn = { type: "instant" };

export const STEP_COLUMNS: Readonly<Record<keyof StepRow, StepColumn>> = {
  id: KEPT,
  stepKey: KEPT,
  name: KEPT,
  type: KEPT,
  status: TEXT,
  attempts: NUMBER,
  lostAttempts: NUMBER,
  maxAttempts: NUMBER,
  timeoutMs: NUMBER,
  nextRetryAt: INSTANT,
  wakeAt: INSTANT,
  waitEventType: TEXT,
  result: TEXT,
  errorName: TEXT,
  errorMessage: TEXT,
  errorDetail: TEXT,
  attemptStartedAt: { type: "past" },
  runner: TEXT,
  failedAttempts: TEXT,
  settledOrder: NUMBER,
  version: NUMBER,
  createdAt: { type: "stamp", isKept: true },
  updatedAt: { type: "stamp" },
};

/** @param name of a member of `StepRow` */
export const columnOf = (name: string): StepColumn => STEP_COLUMNS[name as keyof StepRow];

export const toStepRecord = (row: StepRow): StepRecord => ({
  id: row.id,
  stepKey: row.stepKey,
  name: row.name,
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  lostAttempts: row.lostAttempts,
  maxAttempts: row.maxAttempts,
  timeoutMs: row.timeoutMs,
  nextRetryAt: row.nextRetryAt,
  wakeAt: row.wakeAt,
  waitEventType: row.waitEventType,
  result: row.result,
  error: toError(row),
  attemptStartedAt: row.attemptStartedAt,
  runner: row.runner,
  failedAttempts: row.failedAttempts,
  settledOrder: row.settledOrder,
  version: row.version,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

/** Members that may be null are absent instead. */
type NullAsAbsent<T> = {
  readonly [K in keyof T as null extends T[K] ? never : K]: T[K];
} & { readonly [K in keyof T as null extends T[K] ? K : never]?: NonNullable<T[K]> | undefined };

type Stamp = "createdAt" | "updatedAt";
type Instant = "nextRetry" | "wake";

/** Absent keys and undefined are null. Each instant is given either as `…At` or as `…InMs` (after the row's stamp). */
export type StepWriteRow = LeasedRow &
  NullAsAbsent<Omit<StepRow, Stamp | `${Instant}At`>> & {
    readonly [K in `${Instant}At` | `${Instant}InMs`]?: number | undefined;
  } & {
    /** When the step settled. */
    readonly updatedAt?: number | undefined;
    /** JSON array. */
    readonly startedKeys?: JsonText | undefined;
    /** JSON array of `LoopWrite`. */
    readonly loops?: JsonText | undefined;
  };

/** The compiler asks for every member, so that no new column stays unwritten. */
type WholeStepWriteRow = StepWriteRow & Readonly<Record<keyof StepWriteRow, unknown>>;

// Member by member, because spreading costs ten times as much and this runs for every step.
export const toStepRow = (
  { taskId, token, instanceRowId }: LeasedRow,
  { step, version, startedKeys, loops }: StepChange,
): WholeStepWriteRow => ({
  taskId,
  token,
  instanceRowId,
  id: step.id,
  stepKey: step.stepKey,
  name: step.name,
  type: step.type,
  status: step.status,
  attempts: step.attempts,
  lostAttempts: step.lostAttempts,
  maxAttempts: step.maxAttempts,
  timeoutMs: step.timeoutMs ?? undefined,
  nextRetryAt: instantOf(step.nextRetry),
  nextRetryInMs: delayOf(step.nextRetry),
  wakeAt: instantOf(step.wake),
  wakeInMs: delayOf(step.wake),
  waitEventType: step.waitEventType ?? undefined,
  result: step.result ?? undefined,
  errorName: step.error?.name,
  errorMessage: step.error?.message,
  errorDetail: step.error === null ? undefined : (toDetailText(step.error) ?? undefined),
  attemptStartedAt: step.attemptStartedAt ?? undefined,
  runner: step.runner ?? undefined,
  failedAttempts: step.failedAttempts ?? undefined,
  settledOrder: step.settledOrder ?? undefined,
  updatedAt: step.updatedAt ?? undefined,
  version,
  startedKeys: startedKeys.length === 0 ? undefined : JSON.stringify(startedKeys),
  loops: loops === undefined ? undefined : JSON.stringify(loops),
});

const instantOf = (when: When | null): EpochMs | undefined =>
  when !== null && "at" in when ? when.at : undefined;

const delayOf = (when: When | null): DurationMs | undefined =>
  when !== null && "inMs" in when ? when.inMs : undefined;
