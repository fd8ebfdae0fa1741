/** @module Reads the facts that explain an instance. Parameters of all statements: workflow, instance. */
import type { Dialect } from "@escapement/db/client";
import { MESSAGE_LENGTH, MOST_FACTS } from "../../../core/explain/facts.ts";
import { isInstance, isOfInstance, isTaskOf } from "./lock.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, isScope, select, STEP, TASK } from "./tables.ts";

const INSTANCE_MEMBERS = [
  "workflowName",
  "instanceId",
  "runNumber",
  "status",
  "errorName",
  "errorMessage",
  "errorDetail",
  "pauseRequested",
  "endRequested",
  "retryCount",
  "deadlineAt",
  "updatedAt",
  "startedAt",
  "completedAt",
];

const STEP_MEMBERS = [
  "stepKey",
  "type",
  "status",
  "attempts",
  "maxAttempts",
  "nextRetryAt",
  "wakeAt",
  "waitEventType",
  "attemptStartedAt",
  "runner",
  "errorName",
];

/** The instance and its task in one statement, so that both are of the same moment on every database. */
export const selectState = (dialect: Dialect): string =>
  `select ${select(dialect, "i", INSTANCE_MEMBERS)}, ${dialect.nowMs} as "now", t."kind" as "taskKind", ` +
  `t."status" as "taskStatus", ${dialect.toMs(`t."runAt"`)} as "runAt", ` +
  `${dialect.toMs(`t."lockedUntil"`)} as "lockedUntil", t."attempts" as "taskAttempts" ` +
  `from ${INSTANCE} as i ${dialect.leftJoinEach(TASK, "t", isTaskOf(dialect, "i"))} where ${isInstance(dialect, "i")}`;

const presentRun = (dialect: Dialect): string =>
  `(select i."runNumber" from ${INSTANCE} as i where ${isInstance(dialect, "i")})`;

const ofRun = (dialect: Dialect, alias: string): string =>
  `${isOfInstance(dialect, alias)} and ${alias}."runNumber" = ${presentRun(dialect)}`;

const openSteps = (dialect: Dialect): string =>
  `from ${STEP} as s where ${ofRun(dialect, "s")} and s."status" in ('running', 'waiting') ` +
  `and not ${isScope("s")}`;

/** One more than is shown. Oldest first, which is the order of the history's index. */
export const selectOpenSteps = (dialect: Dialect): string =>
  `select ${select(dialect, "s", STEP_MEMBERS)}, substr(s."errorMessage", 1, ${MESSAGE_LENGTH}) as "errorMessage" ` +
  `${openSteps(dialect)} order by s."createdAt", s."id" limit ${MOST_FACTS + 1}`;

/** One more than is shown. The engine's own types contain a space. */
export const countEventTypes = (dialect: Dialect): string =>
  `select e."type", count(*) as "count" from ${EVENT} as e where ${ofRun(dialect, "e")} ` +
  `and e."deliveredAt" is null and e."type" not like '% %' ` +
  `group by e."type" order by count(*) desc, e."type" limit ${MOST_FACTS + 1}`;

/**
 * Children of open steps. A step that was run again may have left an earlier child, so the newest are shown. A child is not
 * older than its step, so children of steps that settled before are not looked at.
 */
export const selectChildren = (dialect: Dialect): string => {
  const parent = `c."parentWorkflowName" = ${dialect.param(1)} and c."parentInstanceId" = ${dialect.param(2)}`;
  const waiting =
    `select s."stepKey", s."createdAt" ${openSteps(dialect)} and s."type" = 'invoke' ` +
    `order by s."createdAt", s."id" limit ${MOST_FACTS}`;
  return (
    `select c."workflowName", c."instanceId", c."runNumber", c."status", c."parentStepKey" as "stepKey" ` +
    `from ${INSTANCE} as c where ${parent} and c."createdAt" >= (select min(w."createdAt") from (${waiting}) as w) ` +
    `and ${filter(`c."parentRunNumber" = ${presentRun(dialect)}`)} ` +
    `and ${filter(`c."parentStepKey" in (select w."stepKey" from (${waiting}) as w)`)} ` +
    `order by c."createdAt" desc, c."id" desc limit ${2 * MOST_FACTS}`
  );
};
