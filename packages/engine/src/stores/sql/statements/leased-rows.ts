/** Joins the rows of a shared trip to the leases that they claim to hold: the fence of every write of a runner. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { expectFewGiven, type Giving, givenRows } from "./given-rows.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE } from "./instance-key.ts";
import { TASK } from "./tables.ts";

/** The columns of a `LeasedRow`, with which the columns of every statement with a fence begin. */
export const LEASE_COLUMNS: readonly JsonColumn[] = [
  { name: "taskId", type: "text" },
  { name: "token", type: "text" },
  { name: "instanceRowId", type: "text" },
];

/** Expression: the token of a task's lease, as `toLeaseToken` of core makes it. */
export const leaseToken = (task: string): string =>
  `${task}."lockOwner" || '.' || ${task}."claimNumber"`;

/** Condition that joins `c` to its task `t` while the lease is held. */
export const leaseHeld = (dialect: Dialect, giving: Giving): string =>
  `${dialect.isKey(`t."id"`, `c."taskId"`)} and ${filter(`${leaseToken("t")} = c."token"`)}${expectFewGiven(giving, "taskId")}`;

interface LeasedRowsOptions {
  readonly columns: readonly JsonColumn[];
  /** Locking clause for the tasks; "" if an earlier statement of the batch has locked them. @default "" */
  readonly lock?: string;
  /** Select list from the instance `i` of each row; null if it no longer exists. @default nothing */
  readonly ofInstance?: readonly string[];
}

/** FROM item `l`: the given rows whose lease is held, with the run of the lease and without `token`. */
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

/** Like `leasedRows`, for a statement that orders its rows: SQLite would walk all tasks in that order to avoid sorting. */
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

/** The columns of `l` for the run of a task `t`. */
export const RUN = [
  `t."workflowName" as "leaseWorkflowName"`,
  `t."instanceId" as "leaseInstanceId"`,
  `t."runNumber" as "leaseRunNumber"`,
] as const;

/**
 * FROM items: `c`, a single row, and `l`, the run of its lease, if that is held. The values do not pass through the lock, or
 * the database would evaluate each of them once more.
 *
 * @param columns begin with those of a `LeasedRow`
 * @param lock as in `leasedRows`
 */
export function leasedRow(dialect: Dialect, columns: readonly JsonColumn[], lock: string): string {
  return (
    `${dialect.valueRow(1, "c", columns)} cross join (select ${RUN.join(", ")} from ${TASK} as t ` +
    `where ${isGivenLease(dialect)} ${lock}) as l`
  );
}

/** Condition on `t`: its lease is that of the single given row. */
export const isGivenLease = (dialect: Dialect): string =>
  `${dialect.isKey(`t."id"`, dialect.param(1))} and ${filter(`${leaseToken("t")} = ${dialect.param(2)}`)}`;

/** Condition that joins a table's rows to the run of the lease `l`. */
export const runOfLease = (alias: string): string =>
  `${alias}."workflowName" = l."leaseWorkflowName" and ${alias}."instanceId" = l."leaseInstanceId" ` +
  `and ${alias}."runNumber" = l."leaseRunNumber"`;

/** Condition that joins `i` to the instance of the lease `l`, in the lease's run. */
export const isInstanceOfLease = (dialect: Dialect): string =>
  `${dialect.isKey(`i."id"`, `l."instanceRowId"`)} and ${filter(`i."runNumber" = l."leaseRunNumber"`)}`;
