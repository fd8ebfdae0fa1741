/** The rows that the statements read, and which statement reads which rows. */
import type { Statement } from "@escapement/db/client";
import type {
  EndRequest,
  EpochMs,
  EventRecord,
  InstanceRecord,
  JsonText,
  OnParentEnd,
  StepRecord,
} from "../../core/model/records.ts";
import type { InstanceStatusName } from "../../core/model/status.ts";
import type { Asked } from "./asked.ts";

export interface ErrorColumns {
  readonly errorName: string | null;
  readonly errorMessage: string | null;
  /** See `core/error-record.ts`; for an instance, also `instance-detail.ts`. */
  readonly errorDetail: JsonText | null;
}

/** All of them are null, or none is. */
export interface ParentColumns {
  readonly parentWorkflowName: string | null;
  readonly parentInstanceId: string | null;
  readonly parentRunNumber: number | null;
  readonly parentStepKey: string | null;
  readonly onParentEnd: OnParentEnd | null;
}

/** A row of `instanceColumns`. */
export interface InstanceRow
  extends
    Omit<
      InstanceRecord,
      "error" | "diverged" | "pauseRequested" | "parent" | "forkedFrom" | "retryCount" | "tags"
    >,
    ErrorColumns,
    ParentColumns {
  readonly forkedFrom: JsonText | null;
  /** null: 0. */
  readonly retryCount: number | null;
  readonly tags: JsonText | null;
  readonly id: string;
  /** A boolean on Postgres, 0 or 1 on SQLite. */
  readonly pauseRequested: boolean | number;
}

/** Which lease a row belongs to. */
export interface LeasedRow {
  readonly taskId: string;
  readonly token: string;
  readonly instanceRowId: string;
}

/** The instance that has the id of one that was to be created. */
export interface CreatedRow extends Pick<InstanceRow, "createdAt" | "startedAt" | "deadlineAt"> {
  /** The row id of the instance that was to be created. */
  readonly instanceRowId: string;
  /** A `FoundInstanceRow` as JSON; null: the instance is the one that was to be created, as it was written. */
  readonly found: JsonText | null;
}

/** The size of an output that was left out; absent: none could be. */
export type FoundInstanceRow = InstanceRow & { readonly omittedBytes?: number | null };

/** A row of a step's columns. */
export type StepRow = Omit<StepRecord, "error"> & ErrorColumns;

/** A row of an event's columns. */
export interface EventRow extends Omit<EventRecord, "sequence" | "traceContext"> {
  readonly _internalId: number;
}

/** A row of an `EventPage`. */
export interface EventPageRow extends Pick<
  EventRow,
  "_internalId" | "id" | "type" | "eventId" | "createdAt"
> {
  readonly payload: JsonText | null;
  readonly traceContext: string | null;
  /** In the last row: how many matching events the run has, or how many of them have a row here. */
  readonly held: number;
  /** 0: the event only counts, and is not shown. */
  readonly isShown: number;
}

/** A row that was read for a task, among rows of other tasks. If `taskId` is null or absent in all rows, the claim has one run. */
export type OfTask<Row> = Row & { readonly taskId?: string | null };

/** The part of a step that a replay needs. */
export interface HistoryRow {
  readonly stepKey: string;
  readonly settledOrder: number | null;
  readonly updatedAt: EpochMs;
  readonly result: JsonText | null;
  /**
   * null or an array: a completed `do` step with these `startedKeys`. An object: the other columns of a `StepRow`; for a settled
   * step, only those that a replay reads. Only `goOnAfter`: this row shows no step, and more steps are read after it.
   */
  readonly rest: JsonText | null;
}

export interface ClaimedTaskRow {
  readonly id: string;
  readonly workflowName: string;
  readonly instanceId: string;
  readonly runNumber: number;
  /** How many claims in a row had no commit, this one included. */
  readonly attempts: number;
  /** How many claims have taken the task, this one included. */
  readonly claimNumber: number;
  readonly priority: number;
  readonly runAtMs: number;
}

export interface ClaimedInstanceRow extends ParentColumns {
  readonly id: string;
  readonly workflowName: string;
  readonly instanceId: string;
  readonly keyNumber: number;
  readonly retryCount: number | null;
  readonly params: JsonText | null;
  readonly createdAt: number;
  readonly pauseRequested: boolean | number;
  readonly endRequested: EndRequest | null;
  readonly traceContext: string | null;
  readonly status: InstanceStatusName;
  readonly startedAt: number;
  readonly updatedAt: number;
}

export interface ClaimNextRow {
  readonly now: number;
  readonly nextDueAt: number | null;
  /** The end of the next lease of another claim. */
  readonly nextLeaseEndAt: number | null;
  /** A boolean on Postgres, 0 or 1 on SQLite. */
  readonly suspectDue: boolean | number;
}

/** The row that `lockInstance` reads. */
export interface LockedRow extends InstanceRow {
  readonly controlKey: string | null;
}

/** The row of the fence for a lease that is held. */
export interface Fenced extends Partial<EventPageRow> {
  readonly taskId: string;
  readonly pauseRequested: boolean | number;
  readonly endRequested: EndRequest | null;
  readonly now: number;
}

/** The same with an event that the runner does not know yet. */
export type FenceResultRow = Fenced & EventPageRow;

/** The row of a step's write, whose lease is held. */
export interface HeldStepRow {
  readonly id: string;
  readonly now: number;
  /** Absent if no run goes on. */
  readonly asked?: Asked;
}

export interface ScheduledRow {
  readonly id: string;
  readonly dueAt: number;
}

/** What an earlier try of a commit has done. */
export interface RepeatRow {
  readonly taskId: string;
  readonly now: number;
  /** The commit's lease is still held, so the run goes on. */
  readonly isHeld: boolean | number;
  /** The commit was applied, and ended its lease. */
  readonly isEnded: boolean | number;
  readonly status: string;
  /** When the run is due, if nobody has claimed it. */
  readonly dueAt: number | null;
}

/** A row of a page. */
export type PageRow<Row> = Row & {
  readonly id: string;
  readonly createdAt: EpochMs;
  /** How many rows exist, up to one more than the page may have. Rows beyond the page's bytes are not included. */
  readonly found: number;
  readonly omittedBytes: number | null;
};

/** The event that a call has stored or found. */
export interface FoundEventRow {
  /** 1: it has the same type and payload as the call's event. Some drivers return it as text. */
  readonly isSame: number | string;
}

/** The newest event. Some drivers return a bigint as text. */
export interface LastEventRow {
  readonly last: number | string | null;
}

/** An instance, and the event whose reply is read. */
export interface ReplyRow {
  readonly status: InstanceStatusName;
  readonly runNumber: number;
  /** The run of the event; null: there is no such event. */
  readonly eventRunNumber: number | null;
  readonly reply: JsonText | null;
}

/** A statement with the type of its rows. Drivers return rows without types, so the type is trusted (`apply-batch.ts`). */
export interface Query<TRow> extends Statement {
  /** Does not exist at run time; only for the compiler. */
  readonly rows?: readonly TRow[];
}

/** The rows of each statement of `run-statements.ts`; `never`: it reads none. */
export interface StatementRows {
  readonly claimEvents: OfTask<EventPageRow>;
  readonly claimEventsOfOne: OfTask<EventPageRow>;
  readonly claimInstances: ClaimedInstanceRow;
  readonly claimNext: ClaimNextRow;
  readonly claimSteps: OfTask<HistoryRow>;
  readonly claimStepsOfOne: OfTask<HistoryRow>;
  readonly claimTasks: ClaimedTaskRow;
  readonly endFormerLeases: never;
  readonly findDue: { readonly isDue: number };
  readonly selectNow: { readonly now: EpochMs };
}

/** The same for statements over rows of the caller. */
export interface RowsStatementRows {
  readonly commitEnded: never;
  readonly commitEvents: never;
  readonly commitFence: FenceResultRow;
  readonly commitFenceOnly: Fenced;
  readonly commitGoingSteps: HeldStepRow;
  readonly commitHeldSteps: HeldStepRow;
  readonly commitInstances: never;
  readonly commitLeases: never;
  readonly commitPaused: never;
  readonly commitReplies: never;
  readonly commitSchedule: ScheduledRow;
  readonly commitSteps: never;
  readonly commitStepsInLoops: never;
  readonly commitTrimmedEvents: never;
  readonly commitTrims: never;
  readonly commitNewGoingSteps: HeldStepRow;
  readonly commitNewHeldSteps: HeldStepRow;
}
