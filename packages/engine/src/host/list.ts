/** Pages of instances and of history. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { fromCursor, toCursor } from "../core/cursor.ts";
import { WorkflowError } from "../core/errors.ts";
import type { EpochMs } from "../core/model/records.ts";
import { INSTANCE_STATUSES } from "../core/model/status.ts";
import type {
  HistoryInput,
  HistoryOutput,
  ListInstancesInput,
  ListInstancesOutput,
} from "../ports/service.ts";
import type { PagePosition } from "../ports/store.ts";
import type { HostContext } from "./context.ts";
import { loadInstance } from "./manage.ts";
import { toEventView, toInstanceView, toStepView } from "./views.ts";

const MAX_PAGE_SIZE = 100;

/** @throws {WorkflowError} INVALID_CURSOR, INVALID_REQUEST */
export async function listInstances(
  context: HostContext,
  workflow: RegisteredWorkflow,
  input: ListInstancesInput,
): Promise<ListInstancesOutput> {
  const { status = null } = input;
  if (status !== null && !INSTANCE_STATUSES.includes(status))
    throw invalid("status", `one of ${INSTANCE_STATUSES.join(", ")}`);
  const kind = `instances ${workflow.name} ${status ?? ""}`;
  const after =
    input.cursor === undefined ? null : toPosition(kind, fromCursor(kind, input.cursor)["after"]);
  const pageSize = parsePageSize(input.pageSize ?? 25);
  const page = await context.store.listInstances({
    workflowName: workflow.name,
    status,
    pageSize,
    after,
  });
  return {
    instances: page.items.map(toInstanceView),
    hasNextPage: page.next !== null,
    ...(page.next === null ? {} : { cursor: toCursor(kind, { after: page.next }) }),
  };
}

/** @throws {WorkflowError} INSTANCE_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_CURSOR, INVALID_REQUEST */
export async function listHistory(
  context: HostContext,
  workflow: RegisteredWorkflow,
  { id, input }: { readonly id: string; readonly input: HistoryInput },
): Promise<HistoryOutput> {
  const pageSize = parsePageSize(input.pageSize ?? MAX_PAGE_SIZE);
  const instance = await loadInstance(context, workflow, id);
  const runNumber = parseRunNumber(input.runNumber ?? instance.runNumber);
  const kind = `history ${workflow.name} ${id} ${runNumber}`;
  const after = parseHistoryCursor(kind, input.cursor);
  const run = { workflowName: workflow.name, instanceId: instance.instanceId, runNumber };
  const { steps, events } = await context.store.loadHistory({ ...run, pageSize, ...after });
  const hasNextPage = steps.next !== null || events.next !== null;
  const next = {
    stepsAfter: lastPosition(steps.items) ?? after.stepsAfter,
    eventsAfter: lastPosition(events.items) ?? after.eventsAfter,
  };
  return {
    runNumber,
    steps: steps.items.map(toStepView),
    events: events.items.map(toEventView),
    hasNextPage,
    ...(hasNextPage ? { cursor: toCursor(kind, next) } : {}),
  };
}

interface HistoryPosition {
  readonly stepsAfter: PagePosition | null;
  readonly eventsAfter: PagePosition | null;
}

function parseHistoryCursor(kind: string, cursor: string | undefined): HistoryPosition {
  if (cursor === undefined) return { stepsAfter: null, eventsAfter: null };
  const position = fromCursor(kind, cursor);
  return {
    stepsAfter: toPosition(kind, position["stepsAfter"]),
    eventsAfter: toPosition(kind, position["eventsAfter"]),
  };
}

const lastPosition = (
  rows: readonly { readonly createdAt: EpochMs; readonly id: string }[],
): PagePosition | null => {
  const last = rows.at(-1);
  return last === undefined ? null : { at: last.createdAt, id: last.id };
};

function toPosition(kind: string, value: unknown): PagePosition | null {
  if (value === null) return null;
  if (typeof value === "object" && value !== undefined && "at" in value && "id" in value) {
    const { at, id } = value;
    if (typeof at === "number" && Number.isSafeInteger(at) && typeof id === "string")
      return { at, id };
  }
  throw new WorkflowError(
    "INVALID_CURSOR",
    "the cursor was not made by this list; pass it unchanged or not at all",
    { kind },
  );
}

function parsePageSize(pageSize: number): number {
  if (Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= MAX_PAGE_SIZE) return pageSize;
  throw invalid("pageSize", `a whole number from 1 to ${MAX_PAGE_SIZE}`);
}

function parseRunNumber(runNumber: number): number {
  if (Number.isInteger(runNumber) && runNumber >= 1 && runNumber <= 2_147_483_647) return runNumber;
  throw invalid("runNumber", "a whole number from 1");
}

const invalid = (field: string, expected: string): WorkflowError =>
  new WorkflowError("INVALID_REQUEST", `${field} is invalid; expected ${expected}`, {
    issues: [{ path: field, message: `expected ${expected}` }],
  });
