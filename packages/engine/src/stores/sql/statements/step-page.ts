/** The steps of some runs in the order in which they were made, as many as a call reads over all of them. */
import type { Dialect } from "@escapement/db";
import { ITEM_BYTES, STEP_PAGE_BYTES } from "../../../ports/store.ts";
import { openStepJson, sameRun, STEP, UNIQUE_STEP } from "./tables.ts";

/** What a step `s` weighs. */
export const stepBytes = (dialect: Dialect): string =>
  `${ITEM_BYTES} + coalesce(${dialect.byteLength(`s."result"`)}, 0)`;

/** What all steps of a run weigh, added up run by run: to join the steps of many runs costs half as much again. */
export const historyBytes = (dialect: Dialect, run: string): string =>
  `(select coalesce(sum(${stepBytes(dialect)}), 0) from ${STEP} as s${dialect.byIndex(UNIQUE_STEP)} where ${sameRun("s", run)})`;

export interface StepSource {
  /** FROM items with the steps `s`. */
  readonly from: string;
  readonly where: string;
  /** What tells the runs apart. */
  readonly runId: string;
  /** Select of one row: how many `runs` there are, and what their steps weigh together as `bytes`. */
  readonly held: string;
}

/**
 * Rows of `HistoryRow`. What is not needed of a completed `do` step is null in `rest`: a long history is read whole at every
 * claim, and nearly all of it is that.
 *
 * Nearly every history fits into one page. So it is known first what there is: the task says so, or it is added up, which costs
 * the server two fifths of reading it (0.22 of 0.52 ms for 1 011 steps). Only where that is too much are pages counted, which
 * costs as much again as reading (measured on PostgreSQL 18.4, 2026-11).
 *
 * @param told the column before them that tells the `runId`, if there may be several
 */
export function stepPage(
  dialect: Dialect,
  source: StepSource,
  told: readonly string[] = [],
): string {
  const { from, where, runId, held } = source;
  const size = stepBytes(dialect);
  const rest =
    `case when s."status" = 'completed' and s."type" = 'do' then null ` +
    `else ${openStepJson(dialect, "s")} end`;
  const steps = (fits: string, columns: readonly string[]): string =>
    `select ${[...columns, `s."stepKey"`, `s."settledOrder"`, `s."startedKeys"`, `s."result"`, `${rest} as "rest"`].join(", ")} ` +
    `from held as h cross join ${from} where ${where} and h."bytes" ${fits} ${STEP_PAGE_BYTES}`;
  return (
    `with held as materialized (${held}) ` +
    `${steps("<=", told)} union all ` +
    firstPage(
      dialect,
      // Not the column itself: an index in its order would spare the sort, and then be walked from end to end.
      steps(">", [`${runId} || '' as "runId"`, `s."_internalId"`, `${size} as "size"`]),
      told.map(() => `p."runId"`),
    )
  );
}

/**
 * Where the page ends, the row that did not fit is there too, and so is the first of each run behind it; they are not
 * shown, and tell after which row to go on. One window for all, by rows: each further one would cost a long history as much
 * as reading it.
 */
const firstPage = (dialect: Dialect, steps: string, told: readonly string[]): string =>
  `select ${[...told, `p."stepKey"`, `p."settledOrder"`, `p."startedKeys"`].join(", ")}, case when ${IS_SHOWN} then p."result" end, ` +
  `case when ${IS_SHOWN} then p."rest" ` +
  `else ${dialect.jsonObject({ goOnAfter: `case when ${IS_FIRST} then 0 else p."idBefore" end` })} end ` +
  `from (select q.*, sum(q."size") over w as "upTo", lag(q."runId") over w as "runBefore", ` +
  `lag(q."_internalId") over w as "idBefore", first_value(q."size") over w as "firstSize" from (${steps}) as q ` +
  `window w as (order by q."runId", q."_internalId" rows unbounded preceding)) as p ` +
  `where p."upTo" - p."size" <= ${dialect.greatest(String(STEP_PAGE_BYTES), `p."firstSize"`)} or ${IS_FIRST}`;

/** The very first is shown, however large it is: a caller comes further with each page. */
const IS_SHOWN = `(p."upTo" <= ${STEP_PAGE_BYTES} or p."upTo" = p."size")`;
const IS_FIRST = `coalesce(p."runBefore" <> p."runId", true)`;
