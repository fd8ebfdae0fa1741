/** First statement of every commit: locks the tasks whose lease is held and reads what the runner must know next. */
import type { Dialect, JsonColumn } from "@escapement/db";
import { LEASE_HELD, type LeasedRow, unfencedRows } from "./leased-rows.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, eventColumns, INSTANCE, instanceOf, sameRun, TASK } from "./tables.ts";

export interface FenceRow extends LeasedRow {
  /** Read events above this sequence; absent: read none. */
  readonly knownSequence?: number;
}

const COLUMNS: readonly JsonColumn[] = [{ name: "knownSequence", type: "bigint" }];

/**
 * Rows: at least one per held lease (more when there are new events, in order). A lease without a row is lost.
 * Tasks are locked in the order of their ids, so that two shared trips never wait for each other in a ring.
 */
export const commitFence = (dialect: Dialect): string =>
  `select t."id" as "taskId", i."pauseRequested", ${dialect.nowMs} as "now", ${eventColumns(dialect, "e")} ` +
  `from ${unfencedRows(dialect, COLUMNS)} ` +
  `join ${TASK} as t on ${LEASE_HELD} ` +
  `join ${INSTANCE} as i on ${instanceOf(dialect, "t")} ` +
  `left join ${EVENT} as e on ${sameRun("e", "t")} and ${filter(`e."deliveredAt" is null`)} ` +
  `and e."_internalId" > c."knownSequence" ` +
  `order by t."id", e."_internalId" ${dialect.forUpdate("t")}`;
