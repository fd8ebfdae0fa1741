/** Answers events that steps have taken. The first reply stays. */
import type { JsonColumn } from "@escapement/db/client";
import type { RowsStatement } from "./given-rows.ts";
import { LEASE_COLUMNS, leasedRows, runOfLease } from "./leased-rows.ts";
import type { LeasedRow } from "../rows.ts";
import { filter } from "./planner-hints.ts";
import { EVENT } from "./tables.ts";

export interface EventRepliedRow extends LeasedRow {
  readonly eventId: string;
  readonly reply: string;
}

const COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  { name: "eventId", type: "text" },
  { name: "reply", type: "text" },
];

export const commitReplies: RowsStatement = {
  columns: COLUMNS,
  text: (dialect, giving) =>
    `update ${EVENT} as e set "reply" = l."reply", "_version" = e."_version" + 1 ` +
    `from ${leasedRows(dialect, giving, { columns: COLUMNS })} ` +
    `where ${dialect.isKey(`e."id"`, `l."eventId"`)} and ${filter(`${runOfLease("e")} and e."reply" is null`)}`,
};
