/** Keeps leases: sets how many attempts they imply; a renewal moves the lease's end. */
import type { JsonColumn } from "@escapement/db";
import type { RowsStatement } from "./given-rows.ts";
import { LEASE_COLUMNS, leasedRows, type LeasedRow } from "./leased-rows.ts";
import { TASK } from "./tables.ts";

export interface LeaseKeptRow extends LeasedRow {
  /** Absent: as it was. */
  readonly impliedAttempts?: number;
  /** Absent: the lease ends when it did. */
  readonly renewMs?: number;
}

const COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  { name: "impliedAttempts", type: "bigint" },
  { name: "renewMs", type: "bigint" },
];

export const commitLeases: RowsStatement = {
  columns: COLUMNS,
  text: (dialect, giving) =>
    `update ${TASK} as t set ` +
    `"attempts" = coalesce(l."impliedAttempts", t."attempts"), ` +
    `"lockedUntil" = coalesce(${dialect.plusMs(dialect.now, `l."renewMs"`)}, t."lockedUntil"), ` +
    `"updatedAt" = ${dialect.now}, "_version" = t."_version" + 1 ` +
    `from ${leasedRows(dialect, giving, { columns: COLUMNS })} where t."id" = l."taskId"`,
};
