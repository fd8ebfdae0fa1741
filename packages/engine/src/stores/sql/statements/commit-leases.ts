/** Keeps leases: sets how many attempts they imply; a renewal moves the lease's end. */
import type { Dialect, JsonColumn } from "@escapement/db";
import { leasedRows, type LeasedRow } from "./leased-rows.ts";
import { TASK } from "./tables.ts";

export interface LeaseKeptRow extends LeasedRow {
  /** Absent: as it was. */
  readonly impliedAttempts?: number;
  /** Absent: the lease ends when it did. */
  readonly renewMs?: number;
}

const COLUMNS: readonly JsonColumn[] = [
  { name: "impliedAttempts", type: "bigint" },
  { name: "renewMs", type: "bigint" },
];

export const commitLeases = (dialect: Dialect): string =>
  `update ${TASK} as t set ` +
  `"attempts" = coalesce(l."impliedAttempts", t."attempts"), ` +
  `"lockedUntil" = coalesce(${dialect.fromMs(`${dialect.nowMs} + l."renewMs"`)}, t."lockedUntil"), ` +
  `"updatedAt" = ${dialect.fromMs(dialect.nowMs)}, "_version" = t."_version" + 1 ` +
  `from ${leasedRows(dialect, COLUMNS)} where t."id" = l."taskId"`;
