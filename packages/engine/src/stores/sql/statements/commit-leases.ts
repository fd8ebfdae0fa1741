/** Keeps leases: the first commit since a claim clears the count of lost claims; a renewal moves the lease's end. */
import type { Dialect, JsonColumn } from "@escapement/db";
import { leasedRows, type LeasedRow } from "./leased-rows.ts";
import { TASK } from "./tables.ts";

export interface LeaseKeptRow extends LeasedRow {
  readonly isFirst: boolean;
  /** Absent: the lease ends when it did. */
  readonly renewMs?: number;
}

const COLUMNS: readonly JsonColumn[] = [
  { name: "isFirst", type: "boolean" },
  { name: "renewMs", type: "bigint" },
];

export const commitLeases = (dialect: Dialect): string =>
  `update ${TASK} as t set ` +
  `"attempts" = case when l."isFirst" then 0 else t."attempts" end, ` +
  `"lockedUntil" = coalesce(${dialect.fromMs(`${dialect.nowMs} + l."renewMs"`)}, t."lockedUntil"), ` +
  `"updatedAt" = ${dialect.fromMs(dialect.nowMs)}, "_version" = t."_version" + 1 ` +
  `from ${leasedRows(dialect, COLUMNS)} where t."id" = l."taskId"`;
