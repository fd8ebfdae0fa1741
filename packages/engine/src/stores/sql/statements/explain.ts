/** @module Reads the facts that explain an instance. Parameters of all statements: workflow, instance. */
import type { Dialect } from "@escapement/db/client";
import { CHILDREN_SCANNED, MESSAGE_LENGTH, MOST_FACTS } from "../../../core/explain/facts.ts";
import { isInstance, isOfInstance, isTaskOf } from "./lock.ts";
import { childEvent } from "./notify-parents.ts";
import { EVENT, INSTANCE, INSTANCE_IDS, isScope, select, STEP, TASK } from "./tables.ts";

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
 * The children that the open steps wait for, newest first. A child is not older than its step, and was created with it or when the
 * step was run again. So each step looks at the children from its own beginning on, and if its child is not among them, at the
 * newest ones. All steps together look at `CHILDREN_SCANNED` in each direction.
 */
export const selectChildren = (dialect: Dialect): string => {
  const waiting =
    `select s."stepKey", s."waitEventType", s."createdAt", ${presentRun(dialect)} as "runNumber" ${openSteps(dialect)} ` +
    `and s."type" = 'invoke' order by s."createdAt", s."id" limit ${MOST_FACTS}`;
  const parent = `c."parentWorkflowName" = ${dialect.param(1)} and c."parentInstanceId" = ${dialect.param(2)}`;
  const share = `(select ${CHILDREN_SCANNED} / (1 + count(*)) from "waiting")`;
  const isAwaited =
    `n."parentRunNumber" = w."runNumber" and n."parentStepKey" = w."stepKey" ` +
    `and w."waitEventType" = ${childEvent(`n."instanceId"`, `w."stepKey"`)}`;
  const look = (direction: "asc" | "desc"): string =>
    `(select n."id" from (select c."id", c."instanceId", c."parentRunNumber", c."parentStepKey" from ${INSTANCE} as c ` +
    `where ${parent} and c."createdAt" >= w."createdAt" order by c."createdAt" ${direction} limit ${share}) as n ` +
    `where ${isAwaited} limit 1)`;
  const found = `select coalesce(${look("asc")}, ${look("desc")}) as "id" from "waiting" as w`;
  return (
    `with "waiting" as materialized (${waiting}), "found" as materialized (${found}) ` +
    `select c."workflowName", c."instanceId", c."runNumber", c."status", c."parentStepKey" as "stepKey" ` +
    `from "found" as f ${dialect.joinEach(INSTANCE, "c", dialect.isKey(`c."id"`, `f."id"`), INSTANCE_IDS)} ` +
    `order by c."createdAt" desc, c."id" desc limit ${MOST_FACTS}`
  );
};
