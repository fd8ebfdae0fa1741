/** The oldest undelivered events of some runs, a page of each: bounded in rows and bytes, by run and over all. */
import type { Dialect } from "@escapement/db";
import { EVENT_PAGE } from "../../../ports/store.ts";
import { EVENT } from "./tables.ts";

const { rows: ROWS, bytesOfRun: BYTES_OF_RUN, bytesOfCall: BYTES_OF_CALL } = EVENT_PAGE;

/**
 * FROM item `p`. The first event of a run is always there, so that its row can tell how many are held; where it does not
 * fit, it is not shown. Sizes come from the column beside the payload, so that no payload is read that is not shown.
 *
 * @param from FROM clause with the events `e`
 * @param runId what tells the runs apart
 */
export const eventPage = (from: string, runId: string): string => {
  // Not the column itself: an index in its order would spare the sort, and then be walked from end to end.
  const run = `${runId} || ''`;
  return pageOf(from, run);
};

const pageOf = (from: string, runId: string): string =>
  `(select s.*, sum(s."size") over (order by s."rank", s."_internalId") as "bytesOfCall" from (select h.* from (` +
  `select ${runId} as "runId", e."_internalId", e."id", e."type", e."createdAt", coalesce(e."sizeBytes", 0) as "size", ` +
  `row_number() over (partition by ${runId} order by e."_internalId") as "rank", ` +
  `count(*) over (partition by ${runId}) as "held", ` +
  `sum(coalesce(e."sizeBytes", 0)) over (partition by ${runId} order by e."_internalId") as "bytes" ` +
  `from ${from}) as h where h."rank" = 1 or (h."rank" <= ${ROWS} and h."bytes" <= ${BYTES_OF_RUN})) as s) as p`;

/** Select list of an `EventPageRow` from `p`. */
export const eventPageColumns = (dialect: Dialect): string =>
  `p."_internalId", p."id", p."type", ${dialect.toMs(`p."createdAt"`)} as "createdAt", p."held", ` +
  `case when ${IS_SHOWN} then 1 else 0 end as "isShown", ` +
  `case when ${IS_SHOWN} then (select x."payload" from ${EVENT} as x where x."_internalId" = p."_internalId") end as "payload"`;

const IS_SHOWN = `p."bytesOfCall" <= ${BYTES_OF_CALL}`;

/** Condition: rows that nobody needs are left out, all but the first of each run. */
export const IN_PAGE: string = `(p."rank" = 1 or ${IS_SHOWN})`;
