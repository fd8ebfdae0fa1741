/** @module Finds instances over workflows. Loaded with the first look. */
import type { InstanceRecord } from "../../core/model/records.ts";
import {
  type FindInstancesRequest,
  type FoundInstances,
  LOOKED_AT,
  MAX_IN_ORDER,
} from "../../ports/find-instances.ts";
import type { PagePosition } from "../../ports/pages.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { isFiltered, toBranches, toStatuses, toTextRows } from "./instance-branches.ts";
import { type ManyRow, toSource } from "./in-order.ts";
import { query } from "./late-statements.ts";
import { ANY_SIZE, toShown } from "./pages.ts";
import { toInstanceRecord } from "./records.ts";
import type { InstanceRow, PageRow } from "./rows.ts";
import { findByStatus, findNewest } from "./statements/find-instances.ts";

interface Cut {
  readonly cutAt: number | null;
  readonly cutId: string | null;
}

/** A row of the page; without an id: there is none. */
type FoundRow = Cut & ((PageRow<InstanceRow> & { readonly id: string }) | { readonly id: null });

const NOTHING: FoundInstances = { items: [], next: null, isIncomplete: false };

export async function findInstances(
  context: SqlContext,
  request: FindInstancesRequest,
): Promise<FoundInstances> {
  const statuses = toStatuses(request);
  if (statuses?.length === 0) return NOTHING;
  const asked = { ...request, statuses };
  return (await findInOrder(context, asked)) ?? findByWalks(context, asked);
}

async function findByWalks(
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

/** null: it is asked for neither children nor what is stuck, or there are too many of them. */
async function findInOrder(
  { database, dialect }: SqlContext,
  request: FindInstancesRequest,
): Promise<FoundInstances | null> {
  const source = toSource(request);
  if (source === null) return null;
  const { statuses, workflowNames, pageSize, maxPayloadBytes = ANY_SIZE } = request;
  const { found, many } = await applyBatch(database, {
    many: query<ManyRow>(dialect, source.countMany, ...source.values),
    found: query<FoundRow>(
      dialect,
      source.find,
      JSON.stringify(toBranches({ ...request, workflowNames: [""], statuses: null })),
      pageSize + 1,
      maxPayloadBytes,
      MAX_IN_ORDER + 1,
      toTextRows(workflowNames),
      toTextRows(statuses),
      ...source.values,
    ),
  });
  return Number(many[0]?.count) > MAX_IN_ORDER ? null : toFound(found, request);
}

/** Without a filter whatever a walk meets is found: it goes no further than a page. */
const toLookedAt = (request: FindInstancesRequest, branchCount: number): number =>
  isFiltered(request)
    ? Math.max(request.pageSize + 1, Math.ceil(LOOKED_AT / branchCount))
    : request.pageSize + 1;

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
