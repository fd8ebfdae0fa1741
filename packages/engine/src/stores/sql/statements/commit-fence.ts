/** First statement of every commit: locks the tasks whose lease is held, and reads what the runner has to know next. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { endRequestNow } from "./deadline.ts";
import { eventPage, eventPageOfOne } from "./event-page.ts";
import { givenRows, type Giving, type RowsStatement } from "./given-rows.ts";
import { LEASE_COLUMNS, leaseHeld } from "./leased-rows.ts";
import type { LeasedRow } from "../rows.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, sameRun, TASK } from "./tables.ts";

export interface FenceRow extends LeasedRow {
  /** Read events above this sequence; absent: read none. */
  readonly knownSequence?: number;
}

const COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  { name: "knownSequence", type: "bigint" },
];

/**
 * Rows: at least one per held lease, and more if there are new events (a page per run, in order). A lease without a row is
 * lost. Tasks are locked in the order of their ids, so that two shared trips never deadlock.
 */
export const commitFence: RowsStatement = {
  columns: COLUMNS,
  text: (dialect, giving) => {
    const events = newEvents(dialect, giving);
    const page =
      giving === "array" ? eventPage(dialect, events, `t."id"`) : eventPageOfOne(dialect, events);
    const isOfRun = giving === "array" ? `${dialect.isKey(`p."runId"`, `t."id"`)} and ` : "";
    return (
      `${selectHeld(dialect, `, ${page.columns}`)} ${fromHeld(dialect, giving, COLUMNS)} ` +
      `left join ${page.item} on ${isOfRun}${page.isIn} order by c."taskId", p."_internalId" ${dialect.forUpdate("t")}`
    );
  },
};

/** The same without events, which needs fewer tables. */
export const commitFenceOnly: RowsStatement = {
  columns: LEASE_COLUMNS,
  text: (dialect, giving) =>
    `${selectHeld(dialect, "")} ${fromHeld(dialect, giving, LEASE_COLUMNS)} ` +
    `${giving === "array" ? `order by c."taskId" ` : ""}${dialect.forUpdate("t")}`,
};

const newEvents = (dialect: Dialect, giving: Giving): string => {
  const isNew = `${sameRun("e", "t")} and e."deliveredAt" is null and e."_internalId" > c."knownSequence"`;
  const held = `${givenRows(dialect, giving, COLUMNS)} join ${TASK} as t on ${leaseHeld(dialect, giving)}`;
  return `${held} ${dialect.joinEach(EVENT, "e", isNew)}`;
};

const selectHeld = (dialect: Dialect, more: string): string =>
  `select t."id" as "taskId", i."pauseRequested", ${endRequestNow(dialect, "i")} as "endRequested", ${dialect.nowMs} as "now"${more}`;

const fromHeld = (dialect: Dialect, giving: Giving, columns: readonly JsonColumn[]): string =>
  `from ${givenRows(dialect, giving, columns)} join ${TASK} as t on ${leaseHeld(dialect, giving)} ` +
  `join ${INSTANCE} as i on ${dialect.isKey(`i."id"`, `c."instanceRowId"`)} and ${filter(`i."runNumber" = t."runNumber"`)}`;
