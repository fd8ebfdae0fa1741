/** Steps and open events of the runs that a token holds. Parameter: token. */
import type { Dialect } from "@escapement/db";
import { expectOneRow, filter } from "./planner-hints.ts";
import { EVENT, eventColumns, sameRun, STEP, stepColumns, TASK } from "./tables.ts";

const isHeldBy = (dialect: Dialect): string =>
  `t."lockOwner" = ${dialect.param(1)} and ${expectOneRow(`t."lockOwner"`)}`;

/** Rows in no order, with `taskId`. */
export const claimSteps = (dialect: Dialect): string =>
  `select t."id" as "taskId", ${stepColumns(dialect, "s")} ` +
  `from ${TASK} as t join ${STEP} as s on ${sameRun("s", "t")} where ${isHeldBy(dialect)}`;

/** Events that no step has consumed, oldest first, with `taskId`. */
export const claimEvents = (dialect: Dialect): string =>
  `select t."id" as "taskId", ${eventColumns(dialect, "e")} ` +
  `from ${TASK} as t join ${EVENT} as e on ${sameRun("e", "t")} and ${filter(`e."deliveredAt" is null`)} ` +
  `where ${isHeldBy(dialect)} order by e."_internalId"`;
