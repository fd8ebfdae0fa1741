/** Reads of the SQL store: one instance, lists and histories. */
import type { EpochMs, InstanceRecord } from "../../core/model/records.ts";
import type {
  HistoryPage,
  HistoryRequest,
  ListInstancesRequest,
  Page,
  PagePosition,
} from "../../ports/store.ts";
import { applyBatch, type BatchRows, type SqlContext } from "./apply-batch.ts";
import {
  type EventRow,
  type InstanceRow,
  type StepRow,
  toEventRecord,
  toInstanceRecord,
  toStepRecord,
} from "./records.ts";

export async function loadInstance(
  { database, statements }: SqlContext,
  workflowName: string,
  instanceId: string,
): Promise<InstanceRecord | null> {
  const results = await applyBatch(database, [statements.loadInstance(workflowName, instanceId)]);
  const row = results[0]?.[0] as unknown as InstanceRow | undefined;
  return row === undefined ? null : toInstanceRecord(row);
}

export async function listInstances(
  { database, statements }: SqlContext,
  { workflowName, status, pageSize, after }: ListInstancesRequest,
): Promise<Page<InstanceRecord>> {
  const [first, later] =
    status === null
      ? [statements.listNewest, statements.listNewestLater]
      : [statements.listByStatus, statements.listByStatusLater];
  const filter = status === null ? [] : [status];
  const statement =
    after === null
      ? first(workflowName, pageSize + 1, ...filter)
      : later(workflowName, pageSize + 1, ...filter, after.at, after.id);
  const results = await applyBatch(database, [statement]);
  const sortedBy = status === null ? "createdAt" : "updatedAt";
  return toPage(results[0] as unknown as readonly InstanceRow[], {
    pageSize,
    positionOf: (row) => ({ at: row[sortedBy], id: row.id }),
    toItem: toInstanceRecord,
  });
}

export async function loadHistory(
  { database, statements }: SqlContext,
  request: HistoryRequest,
): Promise<HistoryPage> {
  const { pageSize, stepsAfter, eventsAfter } = request;
  const run = [request.workflowName, request.instanceId, request.runNumber, pageSize + 1] as const;
  const results: BatchRows =
    pageSize === 0
      ? [[], []]
      : await applyBatch(database, [
          stepsAfter === null
            ? statements.listSteps(...run)
            : statements.listStepsLater(...run, stepsAfter.at, stepsAfter.id),
          eventsAfter === null
            ? statements.listEvents(...run)
            : statements.listEventsLater(...run, eventsAfter.at, eventsAfter.id),
        ]);
  return {
    steps: toPage(results[0] as unknown as readonly StepRow[], {
      pageSize,
      positionOf: byCreation,
      toItem: toStepRecord,
    }),
    events: toPage(results[1] as unknown as readonly EventRow[], {
      pageSize,
      positionOf: byCreation,
      toItem: toEventRecord,
    }),
  };
}

const byCreation = (row: { readonly createdAt: EpochMs; readonly id: string }): PagePosition => ({
  at: row.createdAt,
  id: row.id,
});

interface PageOptions<Row, Item> {
  readonly pageSize: number;
  readonly positionOf: (row: Row) => PagePosition;
  readonly toItem: (row: Row) => Item;
}

/** The rows were asked for with one more than the page holds, which tells whether there is a further page. */
function toPage<Row, Item>(
  rows: readonly Row[],
  { pageSize, positionOf, toItem }: PageOptions<Row, Item>,
): Page<Item> {
  const shown = rows.slice(0, pageSize);
  const last = shown.at(-1);
  return {
    items: shown.map(toItem),
    next: rows.length > pageSize && last !== undefined ? positionOf(last) : null,
  };
}
