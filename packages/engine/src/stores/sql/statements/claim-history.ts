/** Steps and open events of the runs that a token holds. Parameter: token. */
import type { Dialect } from "@escapement/db";
import { eventPage, eventPageColumns, IN_PAGE } from "./event-page.ts";
import { expectOneRow } from "./planner-hints.ts";
import { EVENT, openStepJson, sameRun, STEP, TASK, UNIQUE_STEP } from "./tables.ts";

const isHeldBy = (dialect: Dialect): string =>
  `t."lockOwner" = ${dialect.param(1)} and ${expectOneRow(`t."lockOwner"`)}`;

/**
 * Rows in no order, with `taskId`. What is not needed of a completed `do` step is null in `rest`: a long history is
 * read whole at every claim, and nearly all of it is that.
 */
export const claimSteps = (dialect: Dialect): string =>
  `select t."id" as "taskId", s."stepKey", s."settledOrder", s."result", s."startedKeys", ` +
  `case when s."status" = 'completed' and s."type" = 'do' then null ` +
  `else ${openStepJson(dialect, "s")} end as "rest" ` +
  `from ${TASK} as t ${dialect.joinEach(STEP, "s", sameRun("s", "t"), UNIQUE_STEP)} where ${isHeldBy(dialect)}`;

/** Events that no step has consumed, a page of each run, oldest first, with `taskId`. */
export const claimEvents = (dialect: Dialect): string =>
  `select p."runId" as "taskId", ${eventPageColumns(dialect)} from ${eventPage(
    `${TASK} as t ${dialect.joinEach(EVENT, "e", `${sameRun("e", "t")} and e."deliveredAt" is null`)} ` +
      `where ${isHeldBy(dialect)}`,
    `t."id"`,
  )} where ${IN_PAGE} order by p."_internalId"`;
