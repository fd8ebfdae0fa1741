/** Turns rows into records. */
import { fromDetailText } from "../../core/stored-error.ts";
import type {
  ErrorRecord,
  EventRecord,
  ForkOrigin,
  InstanceRecord,
  ParentRef,
} from "../../core/model/records.ts";
import { toDivergedSteps } from "./instance-detail.ts";
import type {
  ErrorColumns,
  EventPageRow,
  EventRow,
  InstanceRow,
  OfTask,
  ParentColumns,
} from "./rows.ts";

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
  endRequested: row.endRequested,
  forkedFrom: row.forkedFrom === null ? null : (JSON.parse(row.forkedFrom) as ForkOrigin),
  retryCount: row.retryCount ?? 0,
  deadlineAt: row.deadlineAt,
  tags: row.tags === null ? [] : (JSON.parse(row.tags) as readonly string[]),
  memo: row.memo,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  startedAt: row.startedAt,
  completedAt: row.completedAt,
  parent: toParent(row),
});

export function toParent(row: ParentColumns): ParentRef | null {
  const { parentWorkflowName: workflowName, parentInstanceId: instanceId } = row;
  const { parentRunNumber: runNumber, parentStepKey: stepKey, onParentEnd } = row;
  if (workflowName === null || instanceId === null || runNumber === null) return null;
  if (stepKey === null || onParentEnd === null) return null;
  return { workflowName, instanceId, runNumber, stepKey, onParentEnd };
}

export const toEventRecord = (row: EventRow): EventRecord => ({
  id: row.id,
  sequence: row._internalId,
  type: row.type,
  payload: row.payload,
  eventId: row.eventId,
  createdAt: row.createdAt,
  deliveredAt: row.deliveredAt,
  consumedByStepKey: row.consumedByStepKey,
});

/** The events of one run, and whether it has more. */
export interface RunEvents {
  readonly events: readonly EventRecord[];
  readonly hasMore: boolean;
}

/** The record of an event that no step has taken. */
function toOpenEvent(row: EventPageRow): EventRecord {
  const event = toEventRecord({ ...row, deliveredAt: null, consumedByStepKey: null });
  return row.traceContext === null ? event : { ...event, traceContext: row.traceContext };
}

/** @param rows of one run, in order */
export function toRunEvents(rows: readonly EventPageRow[]): RunEvents {
  const events = rows.filter(({ isShown }) => isShown === 1).map(toOpenEvent);
  return { events, hasMore: (rows.at(-1)?.held ?? 0) > events.length };
}

/** Returns a function that finds a run's rows among those of a claim. */
export function toRowsOf<Row extends object>(
  rows: readonly OfTask<Row>[],
): (taskId: string) => readonly Row[] {
  if ((rows[0]?.taskId ?? null) === null) return () => rows;
  const groups = groupByTask(rows);
  return (taskId) => groups.get(taskId) ?? [];
}

/** Groups rows by task, in their order. */
export function groupByTask<Row>(rows: readonly OfTask<Row>[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const taskId = row.taskId ?? "";
    const group = groups.get(taskId);
    if (group === undefined) groups.set(taskId, [row]);
    else group.push(row);
  }
  return groups;
}
