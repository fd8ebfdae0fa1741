/** @module Finds instances over workflows. Loaded with the first look. */
import type { Dialect } from "@escapement/db/client";
import type { InstanceRecord } from "../../core/model/records.ts";
import {
  type FindInstancesRequest,
  type FoundInstances,
  LOOKED_AT,
} from "../../ports/find-instances.ts";
import type { PagePosition } from "../../ports/pages.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { isFiltered, toBranches, toNameRows, toStatuses, toTextRows } from "./instance-branches.ts";
import { query } from "./late-statements.ts";
import { ANY_SIZE, toShown } from "./pages.ts";
import { toInstanceRecord } from "./records.ts";
import type { InstanceRow, PageRow } from "./rows.ts";
import { findByStatus, findChildren, findNewest, findStuck } from "./statements/find-instances.ts";
import type { BranchRow } from "./statements/walks.ts";

interface Cut {
  readonly cutAt: number | null;
  readonly cutId: string | null;
}

/** A row of the page; without an id: there is none. */
type FoundRow = Cut & ((PageRow<InstanceRow> & { readonly id: string }) | { readonly id: null });

const NOTHING: FoundInstances = { items: [], next: null, isIncomplete: false };

/** One trip, whatever is asked for. */
export async function findInstances(
  { database, dialect }: SqlContext,
  request: FindInstancesRequest,
): Promise<FoundInstances> {
  const statuses = toStatuses(request);
  if (statuses?.length === 0) return NOTHING;
  const asked = { ...request, statuses };
  const { text, branches, more } = toWalks(asked);
  const { pageSize, maxPayloadBytes = ANY_SIZE } = request;
  const { found } = await applyBatch(database, {
    found: query<FoundRow>(
      dialect,
      text,
      JSON.stringify(branches),
      pageSize + 1,
      maxPayloadBytes,
      toLookedAt(asked, branches.length),
      ...more,
    ),
  });
  return toFound(found, asked);
}

/** A statement of pages, the walks that it takes, and its further parameters. */
interface Walks {
  readonly text: (dialect: Dialect) => string;
  readonly branches: readonly BranchRow[];
  readonly more: readonly string[];
}

function toWalks(asked: FindInstancesRequest): Walks {
  const { workflowNames, statuses } = asked;
  if (asked.isStuck)
    return { text: findStuck, branches: toBranches(asked), more: [toNameRows(workflowNames)] };
  if (asked.parent === null)
    return {
      text: statuses === null ? findNewest : findByStatus,
      branches: toBranches(asked),
      more: [],
    };
  return {
    text: findChildren,
    branches: toBranches({ ...asked, workflowNames: [""], statuses: null }),
    more: [toTextRows(workflowNames), toTextRows(statuses)],
  };
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
