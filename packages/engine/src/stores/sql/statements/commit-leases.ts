/** Keeps leases: resets the count of lost leases, and moves the end of a lease that is renewed. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { BACKOFF_ATTEMPTS } from "../../../core/lease.ts";
import type { RowsStatement } from "./given-rows.ts";
import { LEASE_COLUMNS, leasedRows } from "./leased-rows.ts";
import type { LeasedRow } from "../rows.ts";
import { TASK } from "./tables.ts";

export interface LeaseKeptRow extends LeasedRow {
  /** How many leases in a row the run has had without progress, this one included. Absent: unchanged. */
  readonly leaseCount?: number;
  /** Absent: the end of the lease does not change. */
  readonly renewMs?: number;
}

const COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  { name: "leaseCount", type: "bigint" },
  { name: "renewMs", type: "bigint" },
];

/** `renewedUntil` of core in SQL. */
function lockedUntil(dialect: Dialect): string {
  const renewed = dialect.plusMs(dialect.now, `l."renewMs"`);
  const longer = dialect.greatest(renewed, `t."lockedUntil"`);
  const attempts = `coalesce(l."leaseCount", t."attempts")`;
  return `coalesce(case when ${attempts} < ${BACKOFF_ATTEMPTS} then ${renewed} else ${longer} end, t."lockedUntil")`;
}

export const commitLeases: RowsStatement = {
  columns: COLUMNS,
  text: (dialect, giving) =>
    `update ${TASK} as t set ` +
    `"attempts" = coalesce(l."leaseCount", t."attempts"), ` +
    `"lockedUntil" = ${lockedUntil(dialect)}, ` +
    `"updatedAt" = ${dialect.now}, "_version" = t."_version" + 1 ` +
    `from ${leasedRows(dialect, giving, { columns: COLUMNS })} where ${dialect.isKey(`t."id"`, `l."taskId"`)}`,
};
