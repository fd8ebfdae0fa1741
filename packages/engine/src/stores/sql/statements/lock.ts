/** Locks for the verbs that change an instance from outside: task first, then instance. Parameters: workflow, instance. */
import type { Dialect } from "@escapement/db/client";
import { type InstanceKey, isInstanceKey } from "./instance-key.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE, instanceColumns, TASK } from "./tables.ts";

/** Condition: `alias`, a row of another table, belongs to the instance of parameters 1 and 2. */
export const isOfInstance = (dialect: Dialect, alias: string): string =>
  `${alias}."workflowName" = ${dialect.param(1)} and ${alias}."instanceId" = ${dialect.param(2)}`;

/** Condition: `alias` is the instance of parameters 1 and 2. */
export const isInstance = (dialect: Dialect, alias: string): string =>
  isInstanceKey(dialect, { alias, workflowName: dialect.param(1), instanceId: dialect.param(2) });

/** Condition: `alias` is the task of the instance of parameters 1 and 2. There is at most one. */
export const isTaskOfInstance = (dialect: Dialect, alias: string): string =>
  isTaskKey(dialect, { alias, workflowName: dialect.param(1), instanceId: dialect.param(2) });

/** Condition: `t` is the task of the run that `alias` is of. */
export const isTaskOf = (dialect: Dialect, alias: string): string =>
  `${isTaskKey(dialect, {
    alias: "t",
    workflowName: `${alias}."workflowName"`,
    instanceId: `${alias}."instanceId"`,
  })} and ${filter(`t."runNumber" = ${alias}."runNumber"`)}`;

/**
 * Condition: `alias` is the task of an instance.
 *
 * Written as in `isInstanceKey`, for the same reason: other indexes of tasks begin with the workflow's name, too.
 */
export function isTaskKey(
  dialect: Dialect,
  { alias, workflowName, instanceId }: InstanceKey,
): string {
  const equal = `${alias}."workflowName" = ${workflowName} and ${alias}."instanceId" = ${instanceId}`;
  if (dialect.name === "sqlite") return equal;
  const nextTask =
    `select k."id" from ${TASK} as k where (k."workflowName", k."instanceId") >= ` +
    `(${workflowName}, ${instanceId}) order by k."workflowName", k."instanceId", k."runNumber" limit 1`;
  return `${dialect.isKeyAmong(`${alias}."id"`, nextTask)} and ${filter(equal)}`;
}

/** Locks the task. Waits until no runner is in the middle of a commit for this instance. */
export const lockTask = (dialect: Dialect): string =>
  `select t."id" from ${TASK} as t where ${isTaskOfInstance(dialect, "t")} ${dialect.forUpdate("t")}`;

/** Locks and reads the instance and its last control key. Nobody else changes it until the end of the batch. */
export const lockInstance = (dialect: Dialect): string =>
  `select ${instanceColumns(dialect, "i")}, i."controlKey" from ${INSTANCE} as i where ${isInstance(dialect, "i")} ` +
  dialect.forUpdate("i");
