/** The rows of a shared trip, joined to the leases they claim to hold: the fence of every write of a runner. */
import type { Dialect, JsonColumn } from "@escapement/db";
import { isInstanceKey } from "./instance-key.ts";
import { expectOneRow, filter } from "./planner-hints.ts";
import { TASK } from "./tables.ts";

/** Which lease a row belongs to. */
export interface LeasedRow {
  readonly taskId: string;
  readonly token: string;
}

const LEASE_COLUMNS: readonly JsonColumn[] = [
  { name: "taskId", type: "text" },
  { name: "token", type: "text" },
];

/** FROM item `c`: the rows as they came, the lease unchecked. */
export const unfencedRows = (dialect: Dialect, columns: readonly JsonColumn[]): string =>
  dialect.jsonRows(dialect.param(1), "c", [...LEASE_COLUMNS, ...columns]);

/** Condition that ties `c` to its task `t` while the lease is held. */
export const LEASE_HELD: string = `t."id" = c."taskId" and ${filter(`t."lockOwner" = c."token"`)} and ${expectOneRow(`c."taskId"`)}`;

/** FROM item `l`: those rows of parameter 1 whose lease is held, with the run of the lease. */
export function leasedRows(dialect: Dialect, columns: readonly JsonColumn[]): string {
  const own = ["taskId", ...columns.map((column) => column.name)].map((name) => `c."${name}"`);
  const run = [
    `t."workflowName" as "leaseWorkflowName"`,
    `t."instanceId" as "leaseInstanceId"`,
    `t."runNumber" as "leaseRunNumber"`,
  ];
  return (
    `(select ${[...own, ...run].join(", ")} from ${unfencedRows(dialect, columns)} ` +
    `join ${TASK} as t on ${LEASE_HELD}) as l`
  );
}

/** Condition that ties a table's rows to the run of the lease `l`. */
export const runOfLease = (alias: string): string =>
  `${alias}."workflowName" = l."leaseWorkflowName" and ${alias}."instanceId" = l."leaseInstanceId" ` +
  `and ${alias}."runNumber" = l."leaseRunNumber"`;

/** Condition that ties `i` to the instance of the lease `l`, in the lease's run. */
export function isInstanceOfLease(dialect: Dialect): string {
  const key = { workflowName: `l."leaseWorkflowName"`, instanceId: `l."leaseInstanceId"` };
  return `${isInstanceKey(dialect, { alias: "i", ...key })} and i."runNumber" = l."leaseRunNumber"`;
}
