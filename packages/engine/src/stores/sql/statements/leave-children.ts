/**
 * Asks children to end when their parents no longer wait for them, as the corresponding commands do. Tasks and instances are
 * locked first, so that no commit of a child's runner comes in between.
 */
import type { Dialect } from "@escapement/db/client";
import { hint } from "./hint.ts";
import { filter } from "./planner-hints.ts";
import { isTaskOf } from "./lock.ts";
import { INSTANCE, TASK, UNLIMITED_ATTEMPTS } from "./tables.ts";

/** SQLite's name of the index of children by their parent's run. */
export const CHILDREN = "idx_parent_workflow_instance_workflows";

/** The statements, in this order. */
export interface LeaveStatements {
  readonly lockTasks: string;
  readonly lockInstances: string;
  readonly wakeTasks: string;
  /** Paused children have no task. */
  readonly insertTasks: string;
  readonly updateInstances: string;
}

/**
 * @param runs FROM item `l`: the runs of the parents, each once, as `leaseWorkflowName` and so on
 * @param isLeft a further condition on the child `i`, as ` and …`
 */
export function leaveChildren(dialect: Dialect, runs: string, isLeft = ""): LeaveStatements {
  const { now } = dialect;
  const childrenWith = (joins: string): string =>
    `from ${runs} ${dialect.joinEach(INSTANCE, "i", IS_CHILD, CHILDREN)} ${joins}` +
    `where ${filter(`i."onParentEnd" <> 'abandon' and i."status" not in ('complete', 'errored', 'terminated')`)}${isLeft}`;
  const children = childrenWith("");
  const tasks = `select t."id" ${childrenWith(`${dialect.joinEach(TASK, "t", isTaskOf(dialect, "i"))} `)}`;
  return {
    lockTasks: lock(dialect, TASK, tasks),
    lockInstances: lock(dialect, INSTANCE, `select i."id" ${children}`),
    wakeTasks:
      `update ${TASK} set "kind" = 'resume', "priority" = 0, "runAt" = ${dialect.least(`"runAt"`, now)}, ` +
      `"updatedAt" = ${now}, "_version" = "_version" + 1 ` +
      `where ${dialect.isKeyAmong(`"id"`, tasks)} and ${filter(`"status" = 'pending'`)}` +
      RETURNING +
      hint(dialect, TASK, "true", ", "),
    // The instance's row id can serve as the task's: no task has it, and the run has no task.
    insertTasks:
      `insert into ${TASK} ("id", "workflowName", "instanceId", "runNumber", "kind", "priority", "runAt", "status", ` +
      `"attempts", "maxAttempts", "createdAt", "updatedAt") ` +
      `select i."id", i."workflowName", i."instanceId", i."runNumber", 'resume', 0, ${now}, 'pending', 0, ` +
      `${UNLIMITED_ATTEMPTS}, ${now}, ${now} ${children} and ${filter(`i."status" = 'paused'`)} ` +
      `on conflict do nothing` +
      RETURNING +
      hint(dialect, TASK, "true", ", "),
    updateInstances:
      `update ${INSTANCE} set "endRequested" = case when "endRequested" in ('rollback', 'terminate') ` +
      `then "endRequested" else "onParentEnd" end, ` +
      `"status" = case when "status" in ('running', 'waitingForPause') then 'running' else 'queued' end, ` +
      `"pauseRequested" = false, ` +
      `"updatedAt" = ${now}, "_version" = "_version" + 1 ` +
      `where ${dialect.isKeyAmong(`"id"`, `select i."id" ${children}`)}`,
  };
}

/** Rows show that some became due. */
const RETURNING = ` returning "id"`;

const IS_CHILD =
  `i."parentWorkflowName" = l."leaseWorkflowName" and i."parentInstanceId" = l."leaseInstanceId" ` +
  `and i."parentRunNumber" = l."leaseRunNumber"`;

/** Locks rows in the order of their ids, as everything that locks several rows does. */
const lock = (dialect: Dialect, table: string, ids: string): string =>
  `select k."id" from ${table} as k where ${dialect.isKeyAmong(`k."id"`, ids)} order by k."id" ` +
  dialect.forUpdate("k");
