/** The steps of a run whose history a claim does not read, in the order in which they were made, a page at a time. */
import type { Dialect } from "@escapement/db/client";
import { STEP_PAGE_BYTES } from "../../../ports/run-pages.ts";
import { isOfInstance } from "./lock.ts";
import { stepBytes } from "./step-weight.ts";
import { goOnAfter, historyColumns, STEP, UNIQUE_STEP } from "./tables.ts";

/**
 * Parameters: workflow, instance, run number, after which row. Rows of `HistoryRow` in no order. Where the page ends, the row
 * that did not fit is there too; it is not shown, and tells after which row to go on.
 */
export const loadSteps = (dialect: Dialect): string =>
  `select p."stepKey", p."settledOrder", p."startedKeys", p."updatedAt", case when ${IS_SHOWN} then p."result" end as "result", ` +
  `case when ${IS_SHOWN} then p."rest" else ${goOnAfter(dialect, `p."idBefore"`)} end as "rest" ` +
  `from (select q.*, sum(q."size") over w as "upTo", lag(q."_internalId") over w as "idBefore", ` +
  `first_value(q."size") over w as "firstSize" from (${stepsAfter(dialect)}) as q ` +
  `window w as (order by q."place" rows unbounded preceding)) as p ` +
  `where p."upTo" - p."size" <= ${dialect.greatest(String(STEP_PAGE_BYTES), `p."firstSize"`)}`;

/** The very first is shown, however large it is: a caller comes further with each page. */
const IS_SHOWN = `(p."upTo" <= ${STEP_PAGE_BYTES} or p."upTo" = p."size")`;

const stepsAfter = (dialect: Dialect): string =>
  // Not the column itself: an index in its order would spare the sort, and then be walked from end to end.
  `select s."_internalId", s."_internalId" + 0 as "place", ${stepBytes(dialect)} as "size", ${historyColumns(dialect)} ` +
  `from ${STEP} as s${dialect.byIndex(UNIQUE_STEP)} ` +
  `where ${isOfInstance(dialect, "s")} and s."runNumber" = ${dialect.param(3)} and s."_internalId" > ${dialect.param(4)}`;
