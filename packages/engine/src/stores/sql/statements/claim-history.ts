/** Steps and open events of the runs that a token holds. Parameter: token. */
import type { Dialect } from "@escapement/db";
import { EVENT, eventColumns, sameRun, STEP, stepColumns, TASK } from "./tables.ts";

/** Rows in no order, with `taskId`. */
export const claimSteps = (dialect: Dialect): string =>
  `select t."id" as "taskId", ${stepColumns(dialect, "s")} ` +
  `from ${TASK} as t join ${STEP} as s on ${sameRun("s", "t")} where t."lockOwner" = ${dialect.param(1)}`;

/** Events that no step has consumed, oldest first, with `taskId`. */
export const claimEvents = (dialect: Dialect): string =>
  `select t."id" as "taskId", ${eventColumns(dialect, "e")} ` +
  `from ${TASK} as t join ${EVENT} as e on ${sameRun("e", "t")} and e."deliveredAt" is null ` +
  `where t."lockOwner" = ${dialect.param(1)} order by e."_internalId"`;
