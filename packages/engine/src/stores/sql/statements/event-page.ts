/** Reads the oldest undelivered events of some runs, a page per run, bounded in rows and bytes per run and overall. */
import type { Dialect } from "@escapement/db/client";
import { EVENT_PAGE } from "../../../ports/run-pages.ts";
import { EVENT } from "./tables.ts";

const { rows: ROWS, bytesOfRun: BYTES_OF_RUN, bytesOfCall: BYTES_OF_CALL } = EVENT_PAGE;

export interface EventPage {
  /** FROM item `p`. */
  readonly item: string;
  /** Condition that leaves out rows of `p` that are not needed. */
  readonly isIn: string;
  /** Select list of an `EventPageRow` from `p`. */
  readonly columns: string;
}

/**
 * The first event of a run always has a row, which says how many events the run has. If it does not fit, it is not shown. Sizes
 * come from a separate column, so that only payloads that are shown are read.
 *
 * @param from FROM clause with the events `e`
 * @param runId the expression that distinguishes runs; `p` has it as `runId`
 */
export const eventPage = (dialect: Dialect, from: string, runId: string): EventPage => {
  // Not the column itself, or a database may avoid the sort by walking an index in this order from end to end.
  const run = `${runId} || ''`;
  const isShown = `p."bytesOfCall" <= ${BYTES_OF_CALL}`;
  return {
    item:
      `(select s.*, sum(s."size") over (order by s."rank", s."_internalId") as "bytesOfCall" from (select h.* from (` +
      `select ${run} as "runId", ${OWN_COLUMNS}, ` +
      `row_number() over (partition by ${run} order by e."_internalId") as "rank", ` +
      `count(*) over (partition by ${run}) as "held", ` +
      `sum(${SIZE}) over (partition by ${run} order by e."_internalId") as "bytes" ` +
      `from ${from}) as h where h."rank" = 1 or (h."rank" <= ${ROWS} and h."bytes" <= ${BYTES_OF_RUN})) as s) as p`,
    isIn: `(p."rank" = 1 or ${isShown})`,
    columns: pageColumns(dialect, `p."held"`, isShown),
  };
};

/**
 * The same for one run, which costs a third: nearly every run has no event or one. If the page ends early, the row that did not
 * fit is included, so that more events are counted than shown.
 */
export const eventPageOfOne = (dialect: Dialect, from: string): EventPage => {
  const isShown = `(p."rank" = 1 or (p."rank" <= ${ROWS} and p."bytes" <= ${BYTES_OF_RUN}))`;
  return {
    item:
      `(select ${OWN_COLUMNS}, row_number() over w as "rank", sum(${SIZE}) over w as "bytes" from ${from} ` +
      `window w as (order by e."_internalId" + 0 rows unbounded preceding)) as p`,
    isIn: `(p."rank" <= 2 or (p."rank" <= ${ROWS} + 1 and p."bytes" - p."size" <= ${BYTES_OF_RUN}))`,
    columns: pageColumns(dialect, `p."rank" as "held"`, isShown),
  };
};

const SIZE = `coalesce(e."sizeBytes", 0)`;
const OWN_COLUMNS = `e."_internalId", e."id", e."type", e."eventId", e."traceContext", e."createdAt", ${SIZE} as "size"`;

const pageColumns = (dialect: Dialect, held: string, isShown: string): string =>
  `p."_internalId", p."id", p."type", p."eventId", p."traceContext", ${dialect.toMs(`p."createdAt"`)} as "createdAt", ${held}, ` +
  `case when ${isShown} then 1 else 0 end as "isShown", ` +
  `case when ${isShown} then (select x."payload" from ${EVENT} as x where x."_internalId" = p."_internalId") end as "payload"`;
