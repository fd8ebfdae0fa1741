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
 * long history is read whole at every claim, and nearly all of it is that. The first step of a run is always there, so
 * that its row can tell how many there are; where it does not fit, it is not shown.
 */
export function stepPage(dialect: Dialect, { from, runId }: StepSource): string {
  const size = `${ITEM_BYTES} + coalesce(${dialect.byteLength(`s."result"`)}, 0)`;
  const rest =
    `case when s."status" = 'completed' and s."type" = 'do' then null ` +
    `else ${openStepJson(dialect, "s")} end`;
  const inOrder = `order by q."runId", q."_internalId"`;
  return (
    `p."_internalId", p."stepKey", p."settledOrder", p."startedKeys", p."rest", p."held", ` +
    `case when ${IS_SHOWN} then p."result" end as "result", case when ${IS_SHOWN} then 1 else 0 end as "isShown" ` +
    `from (select q.*, sum(q."size") over (${inOrder}) as "upTo", ` +
    `row_number() over (partition by q."runId" ${inOrder}) as "rank", ` +
    `count(*) over (partition by q."runId") as "held" from (` +
    // Not the column itself: an index in its order would spare the sort, and then be walked from end to end.
    `select ${runId} || '' as "runId", s."_internalId", s."stepKey", s."settledOrder", s."startedKeys", s."result", ` +
    `${rest} as "rest", ${size} as "size" from ${from}) as q) as p where p."rank" = 1 or ${IS_SHOWN}`
  );
}

/** The very first is shown, however large it is: a caller comes further with each page. */
const IS_SHOWN = `(p."upTo" <= ${STEP_PAGE_BYTES} or p."upTo" = p."size")`;
