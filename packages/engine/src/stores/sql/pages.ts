/** Reads of the SQL store: one instance, lists and histories. */
import type { EpochMs, InstanceRecord } from "../../core/model/records.ts";
import type {
  EventPage,
  HistoryPage,
  HistoryRequest,
  ListInstancesRequest,
  LoadEventsRequest,
  LoadStepsRequest,
  Page,
  Shown,
  StepPage,
} from "../../ports/store.ts";
import { applyBatch, type BatchRows, type SqlContext } from "./apply-batch.ts";
import {
  type EventPageRow,
  type EventRow,
  type InstanceRow,
  type StepRow,
  toEventRecord,
  toInstanceRecord,
  toRunEvents,
  toStepRecord,
} from "./records.ts";
import { type HistoryRow, toRunSteps } from "./step-rows.ts";

export async function loadInstance(
  { database, statements }: SqlContext,
  workflowName: string,
  instanceId: string,
): Promise<InstanceRecord | null> {
  const results = await applyBatch(database, [statements.loadInstance(workflowName, instanceId)]);
  const row = results[0]?.[0] as unknown as InstanceRow | undefined;
  return row === undefined ? null : toInstanceRecord(row);
}

export async function loadEvents(
  { database, statements }: SqlContext,
  { workflowName, instanceId, runNumber, types, afterSequence }: LoadEventsRequest,
): Promise<EventPage> {
  const run = [workflowName, instanceId, runNumber] as const;
  const names = JSON.stringify(types.map((name) => ({ name })));
  const [[last] = [], rows = []] = await applyBatch(database, [
    statements.lastEvent(...run),
    statements.loadEvents(...run, names, afterSequence),
  ]);
  const { events, hasMore } = toRunEvents(rows as unknown as readonly EventPageRow[]);
  const end = hasMore ? events.at(-1)?.sequence : Number(last?.["last"] ?? 0);
  return { events, hasMore, upTo: Math.max(afterSequence, end ?? 0) };
}

export async function loadSteps(
  { database, statements }: SqlContext,
  { workflowName, instanceId, runNumber, after }: LoadStepsRequest,
): Promise<StepPage> {
  const [rows = [], [clock] = []] = await applyBatch(database, [
    statements.loadSteps(workflowName, instanceId, runNumber, after),
    statements.selectNow(),
  ]);
  return {
    ...toRunSteps(rows as unknown as readonly HistoryRow[]),
    now: Number(clock?.["now"]),
  };
}

/** More than any payload has. */
const ANY_SIZE = 2_147_483_647;

export async function listInstances(
  { database, statements }: SqlContext,
  { workflowName, status, pageSize, after, maxPayloadBytes = ANY_SIZE }: ListInstancesRequest,
): Promise<Page<Shown<InstanceRecord>>> {
  const [first, later] =
    status === null
      ? [statements.listNewest, statements.listNewestLater]
      : [statements.listByStatus, statements.listByStatusLater];
  const asked = [workflowName, pageSize + 1, maxPayloadBytes] as const;
  const filter = status === null ? [] : [status];
  const statement =
    after === null ? first(...asked, ...filter) : later(...asked, ...filter, after.at, after.id);
  const results = await applyBatch(database, [statement]);
  return toPage(results[0] as unknown as readonly PageRow<InstanceRow>[], pageSize, (row) =>
    toInstanceRecord({ ...row, params: null }),
  );
}

export async function loadHistory(
  { database, statements }: SqlContext,
  request: HistoryRequest,
): Promise<HistoryPage> {
  const { pageSize, stepsAfter, eventsAfter, maxPayloadBytes = ANY_SIZE } = request;
  const { workflowName, instanceId, runNumber } = request;
  const run = [workflowName, instanceId, runNumber, pageSize + 1, maxPayloadBytes] as const;
  const [steps = [], events = []]: BatchRows =
    pageSize === 0
      ? []
      : await applyBatch(database, [
          stepsAfter === null
            ? statements.listSteps(...run)
            : statements.listStepsLater(...run, stepsAfter.at, stepsAfter.id),
          eventsAfter === null
            ? statements.listEvents(...run)
            : statements.listEventsLater(...run, eventsAfter.at, eventsAfter.id),
        ]);
  return {
    steps: toPage(steps as unknown as readonly PageRow<StepRow>[], pageSize, toStepRecord),
    events: toPage(events as unknown as readonly PageRow<EventRow>[], pageSize, toEventRecord),
  };
}

/** A row of a page. */
type PageRow<Row> = Row & {
  readonly id: string;
  readonly createdAt: EpochMs;
  /** Rows that there are, up to one more than the page holds; those beyond its bytes are not here. */
  readonly found: number;
  readonly omittedBytes: number | null;
};

function toPage<Row extends object, Item extends object>(
  rows: readonly PageRow<Row>[],
  pageSize: number,
  toItem: (row: Row) => Item,
): Page<Shown<Item>> {
  const shown = rows.slice(0, pageSize);
  const last = shown.at(-1);
  const hasMore = last !== undefined && last.found > shown.length;
  const items = shown.map((row): Shown<Item> => toShown(toItem(row), row.omittedBytes));
  return { items, next: hasMore ? { at: last.createdAt, id: last.id } : null };
}

const toShown = <Item extends object>(item: Item, omittedBytes: number | null): Shown<Item> =>
  omittedBytes === null ? item : { ...item, omittedBytes };
