/** The steps of some runs in the order in which they were made, as many as a call reads over all of them. */
import type { Dialect } from "@escapement/db";
import { ITEM_BYTES, STEP_PAGE_BYTES } from "../../../ports/store.ts";
import { openStepJson } from "./tables.ts";

interface StepSource {
  /** FROM clause with the steps `s`. */
  readonly from: string;
  /** What tells the runs apart. */
  readonly runId: string;
}

/**
 * Select list and FROM item `p`: rows of `PagedStepRow`. What is not needed of a completed `do` step is null in `rest`: a
 * long history is read whole at every claim, and nearly all of it is that. Where the page ends, the row that did not fit
 * is there too, and so is the first of each run behind it; they are not shown, and tell after which row to go on.
 *
 * One window for all, by rows: each further one would cost a long history as much as reading it.
 */
export function stepPage(dialect: Dialect, { from, runId }: StepSource): string {
  const size = `${ITEM_BYTES} + coalesce(${dialect.byteLength(`s."result"`)}, 0)`;
  const rest =
    `case when s."status" = 'completed' and s."type" = 'do' then null ` +
    `else ${openStepJson(dialect, "s")} end`;
  return (
    `p."stepKey", p."settledOrder", p."startedKeys", p."rest", case when ${IS_SHOWN} then p."result" end as "result", ` +
    `case when not ${IS_SHOWN} then case when ${IS_FIRST} then 0 else p."idBefore" end end as "goOnAfter" ` +
    `from (select q.*, sum(q."size") over w as "upTo", lag(q."runId") over w as "runBefore", ` +
    `lag(q."_internalId") over w as "idBefore", first_value(q."size") over w as "firstSize" from (` +
    // Not the column itself: an index in its order would spare the sort, and then be walked from end to end.
    `select ${runId} || '' as "runId", s."_internalId", s."stepKey", s."settledOrder", s."startedKeys", s."result", ` +
    `${rest} as "rest", ${size} as "size" from ${from}) as q ` +
    `window w as (order by q."runId", q."_internalId" rows unbounded preceding)) as p ` +
    `where p."upTo" - p."size" <= ${dialect.greatest(String(STEP_PAGE_BYTES), `p."firstSize"`)} or ${IS_FIRST}`
  );
}

/** The very first is shown, however large it is: a caller comes further with each page. */
const IS_SHOWN = `(p."upTo" <= ${STEP_PAGE_BYTES} or p."upTo" = p."size")`;
const IS_FIRST = `coalesce(p."runBefore" <> p."runId", true)`;
