/** Reads of the SQL store: one instance, lists and histories. */
import type { InstanceRecord } from "../../core/model/records.ts";
import { isTerminal } from "../../core/model/status.ts";
import type { LoadReplyRequest, LoadReplyResult } from "../../ports/reply.ts";
import type {
  EventPage,
  LoadEventsRequest,
  LoadStepsRequest,
  StepPage,
} from "../../ports/run-pages.ts";
import type {
  HistoryPage,
  HistoryRequest,
  ListInstancesRequest,
  Page,
  Shown,
} from "../../ports/pages.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { toEventRecord, toInstanceRecord, toRunEvents, toStepRecord } from "./records.ts";
import type { PageRow } from "./rows.ts";
import { toRunSteps } from "./step-rows.ts";

export async function loadInstance(
  { database, statements }: SqlContext,
  workflowName: string,
  instanceId: string,
): Promise<InstanceRecord | null> {
  const {
    instance: [row],
  } = await applyBatch(database, { instance: statements.loadInstance(workflowName, instanceId) });
  return row === undefined ? null : toInstanceRecord(row);
}

export async function loadEvents(
  { database, statements }: SqlContext,
  { workflowName, instanceId, runNumber, types, afterSequence }: LoadEventsRequest,
): Promise<EventPage> {
  const run = [workflowName, instanceId, runNumber] as const;
  const names = JSON.stringify(types.map((name) => ({ name })));
  const answers = await applyBatch(database, {
    last: statements.lastEvent(...run),
    events: statements.loadEvents(...run, names, afterSequence),
  });
  const { events, hasMore } = toRunEvents(answers.events);
  const end = hasMore ? events.at(-1)?.sequence : Number(answers.last[0]?.last ?? 0);
  return { events, hasMore, upTo: Math.max(afterSequence, end ?? 0) };
}

export async function loadReply(
  { database, statements }: SqlContext,
  { workflowName, instanceId, eventId, runNumber }: LoadReplyRequest,
): Promise<LoadReplyResult> {
  const {
    found: [found],
  } = await applyBatch(database, {
    found: statements.loadReply(workflowName, instanceId, eventId, runNumber),
  });
  if (found === undefined) return { kind: "notFound" };
  const { reply, status, eventRunNumber } = found;
  if (eventRunNumber === null) return { kind: "eventNotFound" };
  if (reply !== null) return { kind: "answered", reply };
  const hasEnded = eventRunNumber !== found.runNumber || isTerminal(status);
  return { kind: hasEnded ? "unanswered" : "open", status };
}

export async function loadSteps(
  { database, statements }: SqlContext,
  { workflowName, instanceId, runNumber, after }: LoadStepsRequest,
): Promise<StepPage> {
  const {
    steps,
    clock: [clock],
  } = await applyBatch(database, {
    steps: statements.loadSteps(workflowName, instanceId, runNumber, after),
    clock: statements.selectNow(),
  });
  return { ...toRunSteps(steps), now: Number(clock?.now) };
}

/** Larger than any payload. */
export const ANY_SIZE = 2_147_483_647;

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
  const { page } = await applyBatch(database, { page: statement });
  return toPage(page, pageSize, (row) => toInstanceRecord({ ...row, params: null }));
}

const EMPTY_PAGE = { items: [], next: null };

export async function loadHistory(
  { database, statements }: SqlContext,
  request: HistoryRequest,
): Promise<HistoryPage> {
  const { pageSize, stepsAfter, eventsAfter, maxPayloadBytes = ANY_SIZE } = request;
  const { workflowName, instanceId, runNumber } = request;
  const run = [workflowName, instanceId, runNumber, pageSize + 1, maxPayloadBytes] as const;
  if (pageSize === 0) return { steps: EMPTY_PAGE, events: EMPTY_PAGE };
  const { steps, events } = await applyBatch(database, {
    steps:
      stepsAfter === null
        ? statements.listSteps(...run)
        : statements.listStepsLater(...run, stepsAfter.at, stepsAfter.id),
    events:
      eventsAfter === null
        ? statements.listEvents(...run)
        : statements.listEventsLater(...run, eventsAfter.at, eventsAfter.id),
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
