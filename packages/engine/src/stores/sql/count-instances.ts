/** @module Counts instances over workflows. Loaded with the first count. */
import type { InstanceStatusName } from "../../core/model/status.ts";
import {
  COUNTED_AT,
  type CountInstancesRequest,
  MAX_IN_ORDER,
  type StatusCount,
} from "../../ports/find-instances.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { isFiltered, toBranches, toStatuses, toTextRows } from "./instance-branches.ts";
import { type ManyRow, toSource } from "./in-order.ts";
import { query } from "./late-statements.ts";
import { countByStatus, countMatching } from "./statements/find-instances.ts";

interface CountOf {
  readonly workflowName: string;
  readonly status: InstanceStatusName;
}

/** Postgres gives a count as text. */
interface CountRow extends CountOf {
  readonly count: number | string;
}

/** Rows that were looked at and rows that match, with a space between. */
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
  return (await countInOrder(context, asked)) ?? countThose(context, asked);
}

async function countAll(
  { database, dialect }: SqlContext,
  request: CountInstancesRequest,
): Promise<readonly StatusCount[]> {
  const { cap } = request;
  const branches = JSON.stringify(toBranches(request));
  const { counts } = await applyBatch(database, {
    counts: query<CountRow>(dialect, countByStatus, branches, cap),
  });
  return counts.map(({ count, ...of }) => toCapped(of, Number(count), cap));
}

/** Each walk looks at its share of what a count may look at. */
async function countThose(
  { database, dialect }: SqlContext,
  request: CountInstancesRequest,
): Promise<readonly StatusCount[]> {
  const branches = toBranches(request);
  const lookedAt = Math.ceil(COUNTED_AT / branches.length);
  const { counts } = await applyBatch(database, {
    counts: query<CountedRow>(dialect, countMatching, JSON.stringify(branches), lookedAt),
  });
  return counts.map(({ counted, ...of }) => {
    const [looked = 0, count = 0] = counted.split(" ").map(Number);
    return toCapped(of, count, request.cap, looked >= lookedAt);
  });
}

/** null: as of `toSource`, or there are too many of them. */
async function countInOrder(
  { database, dialect }: SqlContext,
  request: CountInstancesRequest,
): Promise<readonly StatusCount[] | null> {
  const source = toSource(request);
  if (source === null) return null;
  const { statuses, workflowNames } = request;
  const { counts, many } = await applyBatch(database, {
    many: query<ManyRow>(dialect, source.countMany, ...source.values),
    counts: query<CountRow>(
      dialect,
      source.count,
      JSON.stringify(toBranches({ ...request, workflowNames: [""], statuses: null })),
      toTextRows(workflowNames),
      toTextRows(statuses),
      ...source.values,
    ),
  });
  if (Number(many[0]?.count) > MAX_IN_ORDER) return null;
  const countOf = new Map(counts.map((row) => [`${row.workflowName} ${row.status}`, row.count]));
  return workflowNames.flatMap((workflowName) =>
    statuses.map((status) => {
      const count = Number(countOf.get(`${workflowName} ${status}`) ?? 0);
      return toCapped({ workflowName, status }, count, request.cap);
    }),
  );
}

const toCapped = (of: CountOf, found: number, cap: number, isMore = false): StatusCount => {
  const count = Math.min(cap, found);
  return { ...of, count, isCapped: isMore || count === cap };
};
