/** Marks events as taken by a step. An event that another step took keeps its first taker. */
import type { JsonColumn } from "@escapement/db/client";
import type { RowsStatement } from "./given-rows.ts";
import { LEASE_COLUMNS, leasedRows, type LeasedRow, runOfLease } from "./leased-rows.ts";
import { filter } from "./planner-hints.ts";
import { EVENT } from "./tables.ts";

export interface EventConsumedRow extends LeasedRow {
  readonly eventId: string;
  readonly stepKey: string;
}

const COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  { name: "eventId", type: "text" },
  { name: "stepKey", type: "text" },
];

export const commitEvents: RowsStatement = {
  columns: COLUMNS,
  text: (dialect, giving) =>
    `update ${EVENT} as e set "deliveredAt" = ${dialect.now}, ` +
    `"consumedByStepKey" = l."stepKey", "_version" = e."_version" + 1 ` +
    `from ${leasedRows(dialect, giving, { columns: COLUMNS })} ` +
    `where ${dialect.isKey(`e."id"`, `l."eventId"`)} and ${filter(`${runOfLease("e")} and e."deliveredAt" is null`)}`,
};
