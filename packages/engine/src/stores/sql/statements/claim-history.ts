/** Steps and open events of the runs that a token holds. Parameter: token. */
import type { Dialect } from "@escapement/db";
import { expectOneRow, filter } from "./planner-hints.ts";
import { EVENT, eventColumns, openStepJson, sameRun, STEP, TASK } from "./tables.ts";

const isHeldBy = (dialect: Dialect): string =>
  `t."lockOwner" = ${dialect.param(1)} and ${expectOneRow(`t."lockOwner"`)}`;

/**
 * Rows in no order, with `taskId`. What is not needed of a completed `do` step is null in `rest`: a long history is
 * read whole at every claim, and nearly all of it is that.
 */
export const claimSteps = (dialect: Dialect): string =>
  `select t."id" as "taskId", s."stepKey", s."settledOrder", s."result", ` +
  `case when s."status" = 'completed' and s."type" = 'do' then null ` +
  `else ${openStepJson(dialect, "s")} end as "rest" ` +
  `from ${TASK} as t join ${STEP} as s on ${sameRun("s", "t")} where ${isHeldBy(dialect)}`;

/** Events that no step has consumed, oldest first, with `taskId`. */
export const claimEvents = (dialect: Dialect): string =>
  `select t."id" as "taskId", ${eventColumns(dialect, "e")} ` +
  `from ${TASK} as t join ${EVENT} as e on ${sameRun("e", "t")} and ${filter(`e."deliveredAt" is null`)} ` +
  `where ${isHeldBy(dialect)} order by e."_internalId"`;
