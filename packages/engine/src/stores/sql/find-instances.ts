/** @module Finds and counts instances over workflows. Loaded with the first look. */
import type { InstanceRecord } from "../../core/model/records.ts";
import {
  type CountInstancesRequest,
  type FindInstancesRequest,
  type FoundInstances,
  LOOKED_AT,
  type StatusCount,
} from "../../ports/find-instances.ts";
import type { PagePosition } from "../../ports/pages.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { query } from "./late-statements.ts";
import { ANY_SIZE, toShown } from "./pages.ts";
import { toInstanceRecord } from "./records.ts";
import type { InstanceRow, PageRow } from "./rows.ts";
import {
  type BranchRow,
  countByStatus,
  findByStatus,
  findNewest,
} from "./statements/find-instances.ts";

/** After every instance. */
const LAST = { at: 8_640_000_000_000_000, id: "" };

interface Cut {
  readonly cutAt: number | null;
  readonly cutId: string | null;
}

/** A row of the page; without an id: there is none. */
type FoundRow = Cut & ((PageRow<InstanceRow> & { readonly id: string }) | { readonly id: null });

export async function findInstances(
  { database, dialect }: SqlContext,
  request: FindInstancesRequest,
): Promise<FoundInstances> {
  const { statuses, pageSize, maxPayloadBytes = ANY_SIZE } = request;
  const branches = toBranches(request);
  const { found } = await applyBatch(database, {
    found: query<FoundRow>(
      dialect,
      statuses === null ? findNewest : findByStatus,
      JSON.stringify(branches),
      pageSize + 1,
      maxPayloadBytes,
      toLookedAt(request, branches.length),
    ),
  });
  return toFound(found, request);
}

/** Without a filter whatever a walk meets is found: it goes no further than a page. */
function toLookedAt(request: FindInstancesRequest, branchCount: number): number {
  const { tag, idPrefix, errorCode, updatedFrom, updatedBefore, pageSize } = request;
  const asked = [tag, idPrefix, errorCode, updatedFrom, updatedBefore];
  const isFiltered = asked.some((value) => value !== null);
  return isFiltered ? Math.max(pageSize + 1, Math.ceil(LOOKED_AT / branchCount)) : pageSize + 1;
}

function toBranches(request: FindInstancesRequest): readonly BranchRow[] {
  const { workflowNames, statuses, createdFrom, createdBefore, after } = request;
  const { tag, idPrefix, errorCode, updatedFrom, updatedBefore } = request;
  const { at, id } = after ?? (createdBefore === null ? LAST : { at: createdBefore, id: "" });
  const looksFor = {
    at,
    id,
    createdFrom: createdFrom ?? 0,
    ...(updatedFrom === null ? {} : { updatedFrom }),
    ...(updatedBefore === null ? {} : { updatedBefore }),
    ...(tag === null ? {} : { tag: JSON.stringify(tag) }),
    ...(idPrefix === null ? {} : { idPrefix }),
    ...(errorCode === null ? {} : { detailPrefix: `{"code":${JSON.stringify(errorCode)}` }),
  };
  const toBranch = (workflowName: string, status: string): BranchRow => ({
    workflowName,
    status,
    ...looksFor,
  });
  return workflowNames.flatMap((workflowName) =>
    statuses === null
      ? [{ workflowName, ...looksFor }]
      : statuses.map((status) => toBranch(workflowName, status)),
  );
}

function toFound(
  rows: readonly FoundRow[],
  { pageSize, tag }: FindInstancesRequest,
): FoundInstances {
  const [first] = rows;
  const cut = toCut(first);
  const page = rows
    .filter((row) => row.id !== null)
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  const shown = page.slice(0, pageSize);
  const last = shown.at(-1);
  const hasMore = last !== undefined && last.found > shown.length;
  const items = shown
    .map((row) => toShown(toInstanceRecord({ ...row, params: null }), row.omittedBytes))
    .filter((item: InstanceRecord) => tag === null || item.tags.includes(tag));
  return hasMore
    ? { items, next: { at: last.createdAt, id: last.id }, isIncomplete: false }
    : { items, next: cut, isIncomplete: cut !== null };
}

const toCut = (row: Cut | undefined): PagePosition | null =>
  row === undefined || row.cutAt === null || row.cutId === null
    ? null
    : { at: row.cutAt, id: row.cutId };

/** Postgres gives a count as text. */
type CountRow = Omit<StatusCount, "count"> & { readonly count: number | string };

export async function countInstances(
  { database, dialect }: SqlContext,
  { workflowNames, statuses, cap }: CountInstancesRequest,
): Promise<readonly StatusCount[]> {
  const branches = workflowNames.flatMap((workflowName) =>
    statuses.map((status) => ({
      workflowName,
      status,
      at: LAST.at,
      id: LAST.id,
      createdFrom: 0,
    })),
  );
  const { counts } = await applyBatch(database, {
    counts: query<CountRow>(dialect, countByStatus, JSON.stringify(branches), cap),
  });
  return counts.map(({ workflowName, status, count }) => ({
    workflowName,
    status,
    count: Number(count),
  }));
}
