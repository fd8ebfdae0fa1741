/** Rows as the statements read them, and the records that they stand for. */
import { fromDetailText } from "../../core/error-record.ts";
import type {
  EpochMs,
  ErrorRecord,
  EventRecord,
  InstanceRecord,
  JsonText,
  StepRecord,
} from "../../core/model/records.ts";
import type { InstanceStatusName, StepStatus, StepType } from "../../core/model/status.ts";
import { toDivergedSteps } from "./instance-detail.ts";

interface ErrorColumns {
  readonly errorName: string | null;
  readonly errorMessage: string | null;
  /** See `core/error-record.ts`; of an instance also `instance-detail.ts`. */
  readonly errorDetail: JsonText | null;
}

/** A row of `instanceColumns`. */
export interface InstanceRow extends ErrorColumns {
  readonly id: string;
  readonly workflowName: string;
  readonly instanceId: string;
  readonly runNumber: number;
  readonly status: InstanceStatusName;
  readonly params: JsonText | null;
  readonly output: JsonText | null;
  /** A boolean on Postgres, 0 or 1 on SQLite. */
  readonly pauseRequested: boolean | number;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly startedAt: EpochMs | null;
  readonly completedAt: EpochMs | null;
}

/** A row of `stepColumns`. */
export interface StepRow extends ErrorColumns {
  readonly id: string;
  readonly stepKey: string;
  readonly name: string;
  readonly type: StepType;
  readonly status: StepStatus;
  readonly attempts: number;
  readonly lostAttempts: number;
  readonly maxAttempts: number;
  readonly timeoutMs: number | null;
  readonly nextRetryAt: EpochMs | null;
  readonly wakeAt: EpochMs | null;
  readonly waitEventType: string | null;
  readonly result: JsonText | null;
  readonly settledOrder: number | null;
  readonly version: number;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** A row of `eventColumns`. */
export interface EventRow {
  readonly _internalId: number;
  readonly id: string;
  readonly type: string;
  readonly payload: JsonText | null;
  readonly createdAt: EpochMs;
  readonly deliveredAt: EpochMs | null;
  readonly consumedByStepKey: string | null;
}

export const toError = ({
  errorName,
  errorMessage,
  errorDetail,
}: ErrorColumns): ErrorRecord | null =>
  fromDetailText({ name: errorName, message: errorMessage }, errorDetail);

export const toInstanceRecord = (row: InstanceRow): InstanceRecord => ({
  workflowName: row.workflowName,
  instanceId: row.instanceId,
  runNumber: row.runNumber,
  status: row.status,
  params: row.params,
  output: row.output,
  error: toError(row),
  diverged: toDivergedSteps(row.errorDetail),
  pauseRequested: Boolean(row.pauseRequested),
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  startedAt: row.startedAt,
  completedAt: row.completedAt,
});

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
  settledOrder: row.settledOrder,
  version: row.version,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

export const toEventRecord = (row: EventRow): EventRecord => ({
  id: row.id,
  sequence: row._internalId,
  type: row.type,
  payload: row.payload,
  createdAt: row.createdAt,
  deliveredAt: row.deliveredAt,
  consumedByStepKey: row.consumedByStepKey,
});

/** A row of an `EventPage`. */
export interface EventPageRow extends Pick<EventRow, "_internalId" | "id" | "type" | "createdAt"> {
  readonly payload: JsonText | null;
  /** In the last row: how many events the run holds of those that were looked for, or how many of them are told of. */
  readonly held: number;
  /** 0: the event is told of, and not shown. */
  readonly isShown: number;
}

/** The events of one run, and whether it holds more than them. */
export interface RunEvents {
  readonly events: readonly EventRecord[];
  readonly hasMore: boolean;
}

/** @param rows of one run, in order */
export function toRunEvents(rows: readonly EventPageRow[]): RunEvents {
  const events = rows
    .filter(({ isShown }) => isShown === 1)
    .map((row) => toEventRecord({ ...row, deliveredAt: null, consumedByStepKey: null }));
  return { events, hasMore: (rows.at(-1)?.held ?? 0) > events.length };
}

/** A row that was read for a task, among those of other tasks; null in all rows, or not there: the claim holds one run. */
export type OfTask<Row> = Row & { readonly taskId?: string | null };

/** How the rows of a run are found among those of a claim. */
export function toRowsOf<Row extends object>(
  rows: readonly OfTask<Row>[],
): (taskId: string) => readonly Row[] {
  if ((rows[0]?.taskId ?? null) === null) return () => rows;
  const groups = groupByTask(rows as readonly (Row & { readonly taskId: string })[]);
  return (taskId) => groups.get(taskId) ?? [];
}

/** Rows by task, in the order in which they came. */
export function groupByTask<Row extends { readonly taskId: string }>(
  rows: readonly Row[],
): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.taskId);
    if (group === undefined) groups.set(row.taskId, [row]);
    else group.push(row);
  }
  return groups;
}
