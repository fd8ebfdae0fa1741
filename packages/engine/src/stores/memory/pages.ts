import type { EpochMs, EventRecord, StepRecord } from "../../core/model/records.ts";
import type {
  HistoryPage,
  HistoryRequest,
  ListInstancesRequest,
  Page,
  PagePosition,
} from "../../ports/store.ts";
import { type MemoryInstance, type MemoryState, runKey, toRecord } from "./state.ts";

export function listInstances(
  state: MemoryState,
  request: ListInstancesRequest,
): Page<ReturnType<typeof toRecord>> {
  const positionOf = (instance: MemoryInstance): PagePosition => ({
    at: request.status === null ? instance.createdAt : instance.updatedAt,
    id: instance.rowId,
  });
  const rows = [...state.instances.values()].filter(
    (instance) =>
      instance.workflowName === request.workflowName &&
      (request.status === null || instance.status === request.status),
  );
  const page = pageOf(rows, {
    positionOf,
    after: request.after,
    pageSize: request.pageSize,
    direction: -1,
  });
  return { items: page.items.map(toRecord), next: page.next };
}

export function loadHistory(state: MemoryState, request: HistoryRequest): HistoryPage {
  const steps: StepRecord[] = [...(state.steps.get(runKey(request))?.values() ?? [])];
  const events: EventRecord[] = state.events.get(runKey(request)) ?? [];
  const positionOf = (row: { readonly createdAt: EpochMs; readonly id: string }): PagePosition => ({
    at: row.createdAt,
    id: row.id,
  });
  const { pageSize } = request;
  return {
    steps: pageOf(steps, { positionOf, after: request.stepsAfter, pageSize, direction: 1 }),
    events: pageOf(events, { positionOf, after: request.eventsAfter, pageSize, direction: 1 }),
  };
}

interface PageOptions<T> {
  readonly positionOf: (row: T) => PagePosition;
  readonly after: PagePosition | null;
  readonly pageSize: number;
  readonly direction: 1 | -1;
}

function pageOf<T>(
  rows: readonly T[],
  { positionOf, after, pageSize, direction }: PageOptions<T>,
): Page<T> {
  const compare = (a: PagePosition, b: PagePosition): number =>
    direction * (a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const rest = rows
    .toSorted((a, b) => compare(positionOf(a), positionOf(b)))
    .filter((row) => after === null || compare(positionOf(row), after) > 0);
  const items = rest.slice(0, pageSize);
  const last = items.at(-1);
  return { items, next: rest.length > pageSize && last !== undefined ? positionOf(last) : null };
}
