/** @module Counts instances over workflows. Loaded with the first count. */
import type { InstanceStatusName } from "../../core/model/status.ts";
import {
  COUNTED_AT,
  type CountInstancesRequest,
  MAX_BRANCHES,
  MAX_IN_ORDER,
  type StatusCount,
  toShares,
} from "../../ports/find-instances.ts";
import { applyBatch, applyEach, type SqlContext } from "./apply-batch.ts";
import { isFiltered, toBranches, toNameRows, toStatuses } from "./instance-branches.ts";
import { query } from "./late-statements.ts";
import {
  countByStatus,
  countChildren,
  countMatching,
  countStuck,
} from "./statements/count-instances.ts";

interface CountOf {
  readonly workflowName: string;
  readonly status: InstanceStatusName;
}

/** Postgres returns counts as text. */
interface CountRow extends CountOf {
  readonly count: number | string;
}

/** A row without workflow and status says how many were looked at. */
type FewRow = { readonly [TName in keyof CountRow]: CountRow[TName] | null };

/** The number of rows looked at and the number of matches, separated by a space. */
interface CountedRow extends CountOf {
  readonly counted: string;
}

export async function countInstances(
  context: SqlContext,
  request: CountInstancesRequest,
): Promise<readonly StatusCount[]> {
  const statuses = toStatuses(request) ?? [];
  if (statuses.length === 0) return [];
  const asked = { ...request, statuses };
  if (!isFiltered(asked)) return countAll(context, asked);
  const isFew = asked.isStuck === true || (asked.parent ?? null) !== null;
  return isFew ? countFew(context, asked) : countThose(context, asked);
}

async function countAll(
  { database, dialect }: SqlContext,
  request: CountInstancesRequest,
): Promise<readonly StatusCount[]> {
  const { cap } = request;
  const counts = await applyEach(
    database,
    toShares(request).map((asked) =>
      query<CountRow>(dialect, countByStatus, JSON.stringify(toBranches(asked)), cap),
    ),
  );
  return counts.flat().map(({ count, ...of }) => toCapped(of, Number(count), cap));
}

/** Counts with a filter. Each walk looks at its share of the bound. */
async function countThose(
  { database, dialect }: SqlContext,
  request: CountInstancesRequest,
): Promise<readonly StatusCount[]> {
  const pairs = request.workflowNames.length * request.statuses.length;
  const lookedAt = Math.ceil(COUNTED_AT / Math.min(MAX_BRANCHES, pairs));
  const counts = await applyEach(
    database,
    toShares(request).map((asked) =>
      query<CountedRow>(dialect, countMatching, JSON.stringify(toBranches(asked)), lookedAt),
    ),
  );
  return counts.flat().map(({ counted, ...of }) => {
    const [looked = 0, count = 0] = counted.split(" ").map(Number);
    return toCapped(of, count, request.cap, looked >= lookedAt);
  });
}

/** Counts instances that an index finds, all together, whatever their workflow and status. */
async function countFew(
  { database, dialect }: SqlContext,
  request: CountInstancesRequest,
): Promise<readonly StatusCount[]> {
  const { statuses, workflowNames, cap, isStuck = false } = request;
  const branch = JSON.stringify(toBranches({ ...request, workflowNames: [""], statuses: null }));
  const { counts } = await applyBatch(database, {
    counts: isStuck
      ? query<FewRow>(dialect, countStuck, branch, toNameRows(workflowNames))
      : query<FewRow>(dialect, countChildren, branch),
  });
  const countOf = new Map(
    counts.map((row) => [`${row.workflowName} ${row.status}`, Number(row.count)]),
  );
  const isMore = (countOf.get("null null") ?? 0) > (isStuck ? MAX_IN_ORDER : COUNTED_AT);
  return workflowNames.flatMap((workflowName) =>
    statuses.map((status) => {
      const count = countOf.get(`${workflowName} ${status}`) ?? 0;
      return toCapped({ workflowName, status }, count, cap, isMore);
    }),
  );
}

const toCapped = (of: CountOf, found: number, cap: number, isMore = false): StatusCount => {
  const count = Math.min(cap, found);
  return { ...of, count, isCapped: isMore || count === cap };
};
