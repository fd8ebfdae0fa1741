/** First statement of every commit: locks the tasks whose lease is held and reads what the runner must know next. */
import type { Dialect, JsonColumn } from "@escapement/db";
import { givenRows, type Giving, type RowsStatement } from "./given-rows.ts";
import { LEASE_COLUMNS, leaseHeld, type LeasedRow } from "./leased-rows.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, eventColumns, INSTANCE, sameRun, TASK } from "./tables.ts";

export interface FenceRow extends LeasedRow {
  /** Read events above this sequence; absent: read none. */
  readonly knownSequence?: number;
}

const COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  { name: "knownSequence", type: "bigint" },
];

/**
 * Rows: at least one per held lease (more when there are new events, in order). A lease without a row is lost.
 * Tasks are locked in the order of their ids, so that two shared trips never wait for each other in a ring.
 */
export const commitFence: RowsStatement = {
  columns: COLUMNS,
  text: (dialect, giving) =>
    `${selectHeld(dialect, `, ${eventColumns(dialect, "e")}`)} ${fromHeld(dialect, giving, COLUMNS)} ` +
    `left join ${EVENT} as e on ${sameRun("e", "t")} and ${filter(`e."deliveredAt" is null`)} ` +
    `and e."_internalId" > c."knownSequence" ` +
    `order by t."id", e."_internalId" ${dialect.forUpdate("t")}`,
};

/** The same where no events are asked for: fewer tables to look at. */
export const commitFenceOnly: RowsStatement = {
  columns: LEASE_COLUMNS,
  text: (dialect, giving) =>
    `${selectHeld(dialect, "")} ${fromHeld(dialect, giving, LEASE_COLUMNS)} ` +
    `${giving === "array" ? `order by t."id" ` : ""}${dialect.forUpdate("t")}`,
};

const selectHeld = (dialect: Dialect, more: string): string =>
  `select t."id" as "taskId", i."pauseRequested", ${dialect.nowMs} as "now"${more}`;

const fromHeld = (dialect: Dialect, giving: Giving, columns: readonly JsonColumn[]): string =>
  `from ${givenRows(dialect, giving, columns)} join ${TASK} as t on ${leaseHeld(giving)} ` +
  `join ${INSTANCE} as i on i."id" = c."instanceRowId" and ${filter(`i."runNumber" = t."runNumber"`)}`;
