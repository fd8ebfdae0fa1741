/** The rows of a shared trip, joined to the leases they claim to hold: the fence of every write of a runner. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { expectFewGiven, type Giving, givenRows } from "./given-rows.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE } from "./instance-key.ts";
import { TASK } from "./tables.ts";

/** Which lease a row belongs to. */
export interface LeasedRow {
  readonly taskId: string;
  readonly token: string;
  readonly instanceRowId: string;
}

/** Columns of a `LeasedRow`; those of every statement that is fenced begin with them. */
export const LEASE_COLUMNS: readonly JsonColumn[] = [
  { name: "taskId", type: "text" },
  { name: "token", type: "text" },
  { name: "instanceRowId", type: "text" },
];

/** Expression: the token of the lease on a task, as `toLeaseToken` of core makes it. */
export const leaseToken = (task: string): string =>
  `${task}."lockOwner" || '.' || ${task}."claimNumber"`;

/** Condition that ties `c` to its task `t` while the lease is held. */
export const leaseHeld = (dialect: Dialect, giving: Giving): string =>
  `${dialect.isKey(`t."id"`, `c."taskId"`)} and ${filter(`${leaseToken("t")} = c."token"`)}${expectFewGiven(giving, "taskId")}`;

interface LeasedRowsOptions {
  readonly columns: readonly JsonColumn[];
  /** Locking clause for the tasks; "" where an earlier statement of the batch has locked them. @default "" */
  readonly lock?: string;
  /** Select list from the instance `i` of each row; null where it is gone. @default nothing */
  readonly ofInstance?: readonly string[];
}

/** FROM item `l`: those of the given rows whose lease is held, with the run of the lease; without `token`. */
export function leasedRows(
  dialect: Dialect,
  giving: Giving,
  { columns, lock = "", ofInstance = [] }: LeasedRowsOptions,
): string {
  const instance =
    ofInstance.length === 0
      ? ""
      : ` left join ${INSTANCE} as i on ${dialect.isKey(`i."id"`, `c."instanceRowId"`)} and ${filter(`i."runNumber" = t."runNumber"`)}`;
  const join = `join ${TASK} as t on ${leaseHeld(dialect, giving)}${instance}${lock === "" ? "" : ` ${lock}`}`;
  return leasesOf(dialect, giving, { columns, join, also: ofInstance });
}

/** As `leasedRows`, for a statement that asks for its rows in an order: SQLite would walk all tasks in it, to spare itself the sorting. */
export function leasedRowsInTurn(
  dialect: Dialect,
  giving: Giving,
  { columns }: { readonly columns: readonly JsonColumn[] },
): string {
  const join = dialect.joinEach(TASK, "t", leaseHeld(dialect, giving));
  return leasesOf(dialect, giving, { columns, join });
}

function leasesOf(
  dialect: Dialect,
  giving: Giving,
  {
    columns,
    join,
    also = [],
  }: {
    readonly columns: readonly JsonColumn[];
    readonly join: string;
    readonly also?: readonly string[];
  },
): string {
  const own = columns.filter(({ name }) => name !== "token").map(({ name }) => `c."${name}"`);
  return `(select ${[...own, ...RUN, ...also].join(", ")} from ${givenRows(dialect, giving, columns)} ${join}) as l`;
}

/** What `l` tells of the run of a task `t`. */
export const RUN = [
  `t."workflowName" as "leaseWorkflowName"`,
  `t."instanceId" as "leaseInstanceId"`,
  `t."runNumber" as "leaseRunNumber"`,
] as const;

/**
 * FROM items: `c`, a single row, and `l`, the run of its lease, if that is held. The values do not pass through the lock, for
 * which a database would evaluate each once more.
 *
 * @param columns those of a `LeasedRow` first
 * @param lock as of `leasedRows`
 */
export function leasedRow(dialect: Dialect, columns: readonly JsonColumn[], lock: string): string {
  return (
    `${dialect.valueRow(1, "c", columns)} cross join (select ${RUN.join(", ")} from ${TASK} as t ` +
    `where ${isGivenLease(dialect)} ${lock}) as l`
  );
}

/** Condition on `t`: its lease is that of the single row given. */
export const isGivenLease = (dialect: Dialect): string =>
  `${dialect.isKey(`t."id"`, dialect.param(1))} and ${filter(`${leaseToken("t")} = ${dialect.param(2)}`)}`;

/** Condition that ties a table's rows to the run of the lease `l`. */
export const runOfLease = (alias: string): string =>
  `${alias}."workflowName" = l."leaseWorkflowName" and ${alias}."instanceId" = l."leaseInstanceId" ` +
  `and ${alias}."runNumber" = l."leaseRunNumber"`;

/** Condition that ties `i` to the instance of the lease `l`, in the lease's run. */
export const isInstanceOfLease = (dialect: Dialect): string =>
  `${dialect.isKey(`i."id"`, `l."instanceRowId"`)} and ${filter(`i."runNumber" = l."leaseRunNumber"`)}`;
