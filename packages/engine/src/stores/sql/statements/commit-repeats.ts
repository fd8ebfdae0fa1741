/** Distinguishes commits that were applied before from those whose lease is lost. */
import type { JsonColumn } from "@escapement/db/client";
import { givenRows, type RowsStatement } from "./given-rows.ts";
import { leaseToken } from "./leased-rows.ts";
import { INSTANCE, TASK, INSTANCE_IDS } from "./tables.ts";

const COLUMNS: readonly JsonColumn[] = [
  { name: "taskId", type: "text" },
  { name: "token", type: "text" },
  { name: "instanceRowId", type: "text" },
  { name: "endedBy", type: "text" },
];

/** Rows: the given leases that are still held, or that their own commit has ended. Only used if a commit found no lease. */
export const commitRepeats: RowsStatement = {
  columns: COLUMNS,
  text: (dialect, giving) =>
    `select c."taskId", ${dialect.nowMs} as "now", i."status", ` +
    `(${leaseToken("t")} = c."token") is true as "isHeld", (i."endedBy" = c."endedBy") is true as "isEnded", ` +
    `case when t."status" = 'pending' then ${dialect.toMs(`t."runAt"`)} end as "dueAt" ` +
    `from ${givenRows(dialect, giving, COLUMNS)} ` +
    `${dialect.joinEach(INSTANCE, "i", dialect.isKey(`i."id"`, `c."instanceRowId"`), INSTANCE_IDS)} ` +
    `${dialect.leftJoinEach(TASK, "t", dialect.isKey(`t."id"`, `c."taskId"`))} ` +
    `where ${leaseToken("t")} = c."token" or i."endedBy" = c."endedBy"`,
};
