/** Reads the steps of a run whose history is too large for a claim, in the order of their creation, page by page. */
import type { Dialect } from "@escapement/db/client";
import { STEP_PAGE_BYTES } from "../../../ports/run-pages.ts";
import { isOfInstance } from "./lock.ts";
import { stepBytes } from "./step-weight.ts";
import { goOnAfter, historyColumns, STEP, UNIQUE_STEP } from "./tables.ts";

/**
 * Parameters: workflow, instance, run number, and the row to continue after. Rows of `HistoryRow` in no order. If the page ends
 * early, the row that did not fit is included; it shows no step, and says after which row to continue.
 */
export const loadSteps = (dialect: Dialect): string =>
  `select p."stepKey", p."settledOrder", p."updatedAt", case when ${IS_SHOWN} then p."result" end as "result", ` +
  `case when ${IS_SHOWN} then p."rest" else ${goOnAfter(dialect, `p."idBefore"`)} end as "rest" ` +
  `from (select q.*, sum(q."size") over w as "upTo", lag(q."_internalId") over w as "idBefore", ` +
  `first_value(q."size") over w as "firstSize" from (${stepsAfter(dialect)}) as q ` +
  `window w as (order by q."place" rows unbounded preceding)) as p ` +
  `where p."upTo" - p."size" <= ${dialect.greatest(String(STEP_PAGE_BYTES), `p."firstSize"`)}`;

/** The first row is always shown, however large it is, so that each page makes progress. */
const IS_SHOWN = `(p."upTo" <= ${STEP_PAGE_BYTES} or p."upTo" = p."size")`;

const stepsAfter = (dialect: Dialect): string =>
  // Not the column itself, or a database may avoid the sort by walking an index in this order from end to end.
  `select s."_internalId", s."_internalId" + 0 as "place", ${stepBytes(dialect)} as "size", ${historyColumns(dialect)} ` +
  `from ${STEP} as s${dialect.byIndex(UNIQUE_STEP)} ` +
  `where ${isOfInstance(dialect, "s")} and s."runNumber" = ${dialect.param(3)} and s."_internalId" > ${dialect.param(4)}`;
