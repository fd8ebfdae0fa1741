/** @module Finds instances over workflows. Loaded with the first call. */
import type { Dialect, SqlValue } from "@escapement/db/client";
import type { InstanceRecord } from "../../core/model/records.ts";
import {
  type FindInstancesRequest,
  type FoundInstances,
  MAX_SCANNED,
  toShares,
} from "../../ports/find-instances.ts";
import { PAGE_BYTES, type PagePosition } from "../../ports/pages.ts";
import { applyEach, type SqlContext } from "./apply-batch.ts";
import { isFiltered, toBranches, toNameRows, toStatuses, toTextRows } from "./instance-branches.ts";
import { query } from "./late-statements.ts";
import { ANY_SIZE, toShown } from "./pages.ts";
import { toInstanceRecord } from "./records.ts";
import type { InstanceRow, PageRow, Query } from "./rows.ts";
import { findByStatus, findChildren, findNewest, findStuck } from "./statements/find-instances.ts";
import type { BranchRow } from "./statements/walks.ts";

interface Cut {
  readonly cutAt: number | null;
  readonly cutId: string | null;
}

type FoundInstanceRow = Cut & PageRow<InstanceRow> & { readonly id: string };

/** A row of the page; without an id: there is none. */
type FoundRow = FoundInstanceRow | (Cut & { readonly id: null });

const NOTHING: FoundInstances = { items: [], next: null, isIncomplete: false };

/** One trip, whatever is asked for: a statement for each share of the workflows, which share the bytes of a page. */
export async function findInstances(
  { database, dialect }: SqlContext,
  request: FindInstancesRequest,
): Promise<FoundInstances> {
  const statuses = toStatuses(request);
  if (statuses?.length === 0) return NOTHING;
  const shares = toRequestShares({ ...request, statuses });
  const maxBytes = Math.floor(PAGE_BYTES / shares.length);
  const found = await applyEach(
    database,
    shares.map((asked) => toQuery(dialect, asked, maxBytes)),
  );
  return toPage(
    found.map((rows) => toFound(rows, request)),
    request,
  );
}

/** Of one parent there is one walk, whatever its children's workflows. */
const toRequestShares = (asked: FindInstancesRequest): readonly FindInstancesRequest[] =>
  asked.parent !== null && !asked.isStuck ? [asked] : toShares(asked);

function toQuery(dialect: Dialect, asked: FindInstancesRequest, maxBytes: number): Query<FoundRow> {
  const { text, branches, more } = toWalks(asked);
  const { pageSize, maxPayloadBytes = ANY_SIZE } = asked;
  return query<FoundRow>(
    dialect,
    text,
    JSON.stringify(branches),
    pageSize + 1,
    maxPayloadBytes,
    toScanLimit(asked, branches.length),
    maxBytes,
    ...more,
  );
}

/** A statement for a page, its walks, and its further parameters. */
interface Walks {
  readonly text: (dialect: Dialect) => string;
  readonly branches: readonly BranchRow[];
  readonly more: readonly SqlValue[];
}

/** Where so many walks are asked for, a first look at a few rows of each says how far to go. */
const MANY_BRANCHES = 8;

/** A statement of many walks, with its parameters for `fewOfEach` and `sharesOf`. */
function toManyWalks(asked: FindInstancesRequest): Walks {
  const branches = toBranches(asked);
  const text = asked.statuses === null ? findNewest : findByStatus;
  if (branches.length < MANY_BRANCHES) return { text, branches, more: [0, 0] };
  const together = isFiltered(asked) ? MAX_SCANNED : 0;
  const few = Math.ceil((together || 2 * (asked.pageSize + 1)) / branches.length);
  return { text, branches, more: [few, together] };
}

function toWalks(asked: FindInstancesRequest): Walks {
  const { workflowNames } = asked;
  if (asked.isStuck)
    return { text: findStuck, branches: toBranches(asked), more: [toNameRows(workflowNames)] };
  if (asked.parent === null) return toManyWalks(asked);
  return {
    text: findChildren,
    branches: toBranches({ ...asked, workflowNames: [""], statuses: null }),
    more: [toTextRows(workflowNames), toTextRows(asked.statuses)],
  };
}

/** Without a filter, every row of a walk matches, so it need not look at more than a page. */
function toScanLimit(request: FindInstancesRequest, branchCount: number): number {
  if (!isFiltered(request)) return request.pageSize + 1;
  // What is stuck is searched without `sharesOf`.
  return Math.max(request.isStuck ? request.pageSize + 1 : 1, Math.ceil(MAX_SCANNED / branchCount));
}

/** What the walks of one statement have found, newest first. */
interface Found extends Pick<FoundInstances, "next" | "isIncomplete"> {
  readonly rows: readonly FoundInstanceRow[];
}

function toFound(rows: readonly FoundRow[], { pageSize }: FindInstancesRequest): Found {
  const [first] = rows;
  const cut = toCut(first);
  const page = rows.filter((row) => row.id !== null).toSorted(byNewest);
  const shown = page.slice(0, pageSize);
  const last = shown.at(-1);
  const hasMore = last !== undefined && last.found > shown.length;
  return hasMore
    ? { rows: shown, next: toPosition(last), isIncomplete: false }
    : { rows: shown, next: cut, isIncomplete: cut !== null };
}

/** Behind where one of them has ended, not all is known. */
function toPage(found: readonly Found[], { pageSize, tag }: FindInstancesRequest): FoundInstances {
  const [first] = found
    .flatMap(({ next, isIncomplete }) => (next === null ? [] : [{ next, isIncomplete }]))
    .toSorted((a, b) => compare(a.next, b.next));
  const known = found
    .flatMap(({ rows }) => rows)
    .filter((row) => first === undefined || compare(toPosition(row), first.next) <= 0)
    .toSorted(byNewest);
  const shown = known.slice(0, pageSize);
  const last = shown.at(-1);
  const items = shown
    .map((row) => toShown(toInstanceRecord({ ...row, params: null }), row.omittedBytes))
    .filter((item: InstanceRecord) => tag === null || item.tags.includes(tag));
  if (last !== undefined && known.length > shown.length)
    return { items, next: toPosition(last), isIncomplete: false };
  return { items, next: first?.next ?? null, isIncomplete: first?.isIncomplete ?? false };
}

const toPosition = ({ createdAt: at, id }: FoundInstanceRow): PagePosition => ({ at, id });

/** Newest first. */
const compare = (a: PagePosition, b: PagePosition): number =>
  b.at - a.at || Number(a.id < b.id) - Number(a.id > b.id);

const byNewest = (a: FoundInstanceRow, b: FoundInstanceRow): number =>
  compare(toPosition(a), toPosition(b));

const toCut = (row: Cut | undefined): PagePosition | null =>
  row === undefined || row.cutAt === null || row.cutId === null
    ? null
    : { at: row.cutAt, id: row.cutId };
