/** @module Lists of instances and histories, page by page. Loaded with the first call. */
import type { Dialect, SqlValue } from "@escapement/db/client";
import type { InstanceRecord } from "../../core/model/records.ts";
import type {
  HistoryPage,
  HistoryRequest,
  ListInstancesRequest,
  Page,
  PagePosition,
  Shown,
} from "../../ports/pages.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { query } from "./late-statements.ts";
import { toEventRecord, toInstanceRecord } from "./records.ts";
import { toStepRecord } from "./step-columns.ts";
import type { EventRow, InstanceRow, PageRow, Query, StepRow } from "./rows.ts";
import { listEvents, listInstances as selectInstances, listSteps } from "./statements/lists.ts";

/** Larger than any payload. */
export const ANY_SIZE = 2_147_483_647;

/** Texts of a page's statement. They are constants, because each is compiled once. */
interface PageText {
  readonly first: (dialect: Dialect) => string;
  readonly later: (dialect: Dialect) => string;
}

const toPageText = (text: (dialect: Dialect, isLaterPage: boolean) => string): PageText => ({
  first: (dialect) => text(dialect, false),
  later: (dialect) => text(dialect, true),
});

const NEWEST = toPageText((dialect, isLaterPage) =>
  selectInstances(dialect, { byStatus: false, isLaterPage }),
);
const OF_STATUS = toPageText((dialect, isLaterPage) =>
  selectInstances(dialect, { byStatus: true, isLaterPage }),
);
const STEPS = toPageText(listSteps);
const EVENTS = toPageText(listEvents);

/** The page behind a position; null: the first one. */
const pageAfter = <Row>(
  dialect: Dialect,
  { first, later }: PageText,
  after: PagePosition | null,
  ...values: readonly SqlValue[]
): Query<PageRow<Row>> =>
  after === null
    ? query(dialect, first, ...values)
    : query(dialect, later, ...values, after.at, after.id);

export async function listInstances(
  { database, dialect }: SqlContext,
  { workflowName, status, pageSize, after, maxPayloadBytes = ANY_SIZE }: ListInstancesRequest,
): Promise<Page<Shown<InstanceRecord>>> {
  const values = [workflowName, pageSize + 1, maxPayloadBytes] as const;
  const { page } = await applyBatch(database, {
    page:
      status === null
        ? pageAfter<InstanceRow>(dialect, NEWEST, after, ...values)
        : pageAfter<InstanceRow>(dialect, OF_STATUS, after, ...values, status),
  });
  return toPage(page, pageSize, (row) => toInstanceRecord({ ...row, params: null }));
}

const EMPTY_PAGE = { items: [], next: null };

export async function loadHistory(
  { database, dialect }: SqlContext,
  request: HistoryRequest,
): Promise<HistoryPage> {
  const { pageSize, stepsAfter, eventsAfter, maxPayloadBytes = ANY_SIZE } = request;
  const { workflowName, instanceId, runNumber } = request;
  const run = [workflowName, instanceId, runNumber, pageSize + 1, maxPayloadBytes] as const;
  if (pageSize === 0) return { steps: EMPTY_PAGE, events: EMPTY_PAGE };
  const { steps, events } = await applyBatch(database, {
    steps: pageAfter<StepRow>(dialect, STEPS, stepsAfter, ...run),
    events: pageAfter<EventRow>(dialect, EVENTS, eventsAfter, ...run),
  });
  return {
    steps: toPage(steps, pageSize, toStepRecord),
    events: toPage(events, pageSize, toEventRecord),
  };
}

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

/** Adds to an item the size of a payload that was left out. */
export const toShown = <Item extends object>(
  item: Item,
  omittedBytes: number | null,
): Shown<Item> => (omittedBytes === null ? item : { ...item, omittedBytes });
