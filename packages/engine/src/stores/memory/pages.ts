/** Pages of instances and of histories, bounded in rows and bytes. */
import { utf8Size } from "../../core/plain-codec.ts";
import type { EpochMs, ErrorRecord, InstanceRecord, StepRecord } from "../../core/model/records.ts";
import { ITEM_BYTES } from "../../ports/run-pages.ts";
import {
  type HistoryPage,
  type HistoryRequest,
  type ListInstancesRequest,
  type Page,
  PAGE_BYTES,
  type PagePosition,
  type Shown,
} from "../../ports/pages.ts";
import { findFirst, sortOnce } from "./sort-once.ts";
import { type MemoryInstance, type MemoryState, runKey, toEventRecord, toRecord } from "./state.ts";

export function listInstances(
  state: MemoryState,
  request: ListInstancesRequest,
): Page<Shown<InstanceRecord>> {
  const rows = [...state.instances.values()].filter(
    (instance) =>
      instance.workflowName === request.workflowName &&
      (request.status === null || instance.status === request.status),
  );
  return pageOfInstances(rows, request);
}

/** A page of the given instances, newest first. */
export function pageOfInstances(
  rows: readonly MemoryInstance[],
  request: Pick<ListInstancesRequest, "after" | "pageSize" | "maxPayloadBytes">,
): Page<Shown<InstanceRecord>> {
  return pageOf(rows, {
    ...request,
    idOf: ({ rowId }) => rowId,
    direction: -1,
    maxBytes: PAGE_BYTES,
    payload: "output",
    toItem: (instance) => ({ ...toRecord(instance), params: null }),
    otherTexts: ({ error, diverged, tags, memo }) => [
      ...toErrorTexts(error),
      ...(tags.length === 0 ? [] : [JSON.stringify(tags)]),
      memo ?? "",
      ...(diverged.length === 0 ? [] : [JSON.stringify(diverged)]),
    ],
  });
}

export function loadHistory(state: MemoryState, request: HistoryRequest): HistoryPage {
  const list = state.steps.get(runKey(request));
  const steps = [...(list?.values() ?? [])];
  const events = state.events.get(runKey(request)) ?? [];
  const { pageSize, maxPayloadBytes } = request;
  const common = {
    ...(maxPayloadBytes === undefined ? {} : { maxPayloadBytes }),
    pageSize,
    idOf: ({ id }: { readonly id: string }) => id,
    direction: 1,
    maxBytes: PAGE_BYTES / 2,
  } as const;
  return {
    steps: pageOf(steps, {
      ...common,
      ...(list && { list }),
      after: request.stepsAfter,
      payload: "result",
      toItem: ({ startedKeys: _startedKeys, ...step }): StepRecord => step,
      otherTexts: ({ name, stepKey, error, failedAttempts }) => [
        name,
        stepKey,
        ...toErrorTexts(error),
        failedAttempts ?? "",
      ],
    }),
    events: pageOf(events, {
      ...common,
      after: request.eventsAfter,
      payload: "payload",
      toItem: toEventRecord,
      otherTexts: () => [],
    }),
  };
}

/** The texts of an error, about as SQL stores them. */
const toErrorTexts = (error: ErrorRecord | null): readonly string[] =>
  error === null ? [] : [error.message, JSON.stringify(error)];

interface PageOptions<Row, Item> {
  readonly idOf: (row: Row) => string;
  readonly after: PagePosition | null;
  readonly pageSize: number;
  readonly direction: 1 | -1;
  /** The list that the rows belong to; its sorted order is kept for the next page. */
  readonly list?: object;
  readonly maxBytes: number;
  readonly maxPayloadBytes?: number;
  /** The member that is left out if it is too large. */
  readonly payload: keyof Row & keyof Item;
  readonly toItem: (row: Row) => Item;
  readonly otherTexts: (row: Row) => readonly string[];
}

function pageOf<Row extends { readonly createdAt: EpochMs }, Item extends object>(
  rows: readonly Row[],
  options: PageOptions<Row, Item>,
): Page<Shown<Item>> {
  const { idOf, after, pageSize, direction } = options;
  const compare = (row: Row, at: EpochMs, id: string): number =>
    direction * (row.createdAt - at || (idOf(row) < id ? -1 : idOf(row) > id ? 1 : 0));
  const sorted = sortOnce(rows, (a, b) => compare(a, b.createdAt, idOf(b)), options.list);
  const begin =
    after === null ? 0 : findFirst(sorted, (row) => compare(row, after.at, after.id) > 0);
  const rest = sorted.slice(begin, begin + pageSize + 1);
  const items: Shown<Item>[] = [];
  let bytes = 0;
  for (const row of rest.slice(0, pageSize)) {
    const { item, size } = toShown(row, options);
    bytes += size;
    if (items.length > 0 && bytes > options.maxBytes) break;
    items.push(item);
  }
  const last = rest[items.length - 1];
  const hasMore = rest.length > items.length && last !== undefined;
  return { items, next: hasMore ? { at: last.createdAt, id: idOf(last) } : null };
}

function toShown<Row, Item extends object>(
  row: Row,
  { payload, maxPayloadBytes = Infinity, toItem, otherTexts }: PageOptions<Row, Item>,
): { readonly item: Shown<Item>; readonly size: number } {
  const text = row[payload];
  const payloadBytes = typeof text === "string" ? utf8Size(text) : 0;
  const otherBytes = otherTexts(row).reduce((sum, other) => sum + utf8Size(other), ITEM_BYTES);
  const item = toItem(row);
  return payloadBytes <= maxPayloadBytes
    ? { item, size: otherBytes + payloadBytes }
    : { item: { ...item, [payload]: null, omittedBytes: payloadBytes }, size: otherBytes };
}
