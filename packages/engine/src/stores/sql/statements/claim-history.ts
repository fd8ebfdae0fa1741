/** Steps and undelivered events of the runs that a token holds, as much as a call reads of them. Parameter: token. */
import type { Dialect } from "@escapement/db";
import { eventPage, eventPageColumns, IN_PAGE } from "./event-page.ts";
import { expectOneRow } from "./planner-hints.ts";
import { historyBytes, stepPage, type StepSource } from "./step-page.ts";
import { EVENT, sameRun, STEP, TASK, UNIQUE_STEP } from "./tables.ts";

const isHeldBy = (dialect: Dialect): string =>
  `t."lockOwner" = ${dialect.param(1)} and ${expectOneRow(`t."lockOwner"`)}`;

const ofHeldRuns = (dialect: Dialect): StepSource => ({
  from: `${TASK} as t ${dialect.joinEach(STEP, "s", sameRun("s", "t"), UNIQUE_STEP)}`,
  where: isHeldBy(dialect),
  runId: `t."id"`,
  held:
    `select count(*) as "runs", coalesce(sum(coalesce(t."historyBytes", ${historyBytes(dialect, "t")})), 0) as "bytes" ` +
    `from ${TASK} as t where ${isHeldBy(dialect)}`,
});

/** Rows of `stepPage` in no order, with `taskId`; null in all of them: the claim holds one run. */
export const claimSteps = (dialect: Dialect): string =>
  stepPage(dialect, ofHeldRuns(dialect), [`case when h."runs" > 1 then t."id" end as "taskId"`]);

/** The same for a claim that cannot hold but one: each column costs a long history time. */
export const claimStepsOfOne = (dialect: Dialect): string => stepPage(dialect, ofHeldRuns(dialect));

/** Events that no step has consumed, a page of each run, oldest first, with `taskId`. */
export const claimEvents = (dialect: Dialect): string =>
  `select p."runId" as "taskId", ${eventPageColumns(dialect)} from ${eventPage(
    `${TASK} as t ${dialect.joinEach(EVENT, "e", `${sameRun("e", "t")} and e."deliveredAt" is null`)} ` +
      `where ${isHeldBy(dialect)}`,
    `t."id"`,
  )} where ${IN_PAGE} order by p."_internalId"`;
