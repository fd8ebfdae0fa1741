/** Tells parents about the ends of their children, like `sendEvent`, but once per step and child, and whatever the run's limit is. */
import type { Dialect } from "@escapement/db/client";
import { hint } from "./hint.ts";
import { isTaskOf } from "./lock.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, instanceOf, sameRun, STEP, TASK, UNIQUE_STEP } from "./tables.ts";

/** The statements, in this order. */
export interface NotifyStatements {
  readonly lockTasks: string;
  readonly lockInstances: string;
  readonly insertEvents: string;
  readonly wakeTasks: string;
}

/** The type and id of the event, as `toChildEvent` of core makes them. */
export const childEvent = (child: string, stepKey: string): string =>
  `'child ' || ${child} || ' ' || ${stepKey}`;

/**
 * @param ends FROM item `l`: for each end the parent's step (`workflowName`, `instanceId`, `runNumber`, `stepKey`), `type`,
 * `eventRowId`,
 *   `payload`
 */
export function notifyParents(dialect: Dialect, ends: string): NotifyStatements {
  const { clock } = dialect;
  const tasks = `select t."id" from ${ends} ${dialect.joinEach(TASK, "t", isTaskOf(dialect, "l"))}`;
  const parents = `from ${ends} ${dialect.joinEach(INSTANCE, "i", instanceOf(dialect, "l"))}`;
  return {
    lockTasks:
      `select k."id" from ${TASK} as k where ${dialect.isKeyAmong(`k."id"`, tasks)} order by k."id" ` +
      dialect.forUpdate("k"),
    lockInstances:
      `select k."id" from ${INSTANCE} as k where ${dialect.isKeyAmong(`k."id"`, `select i."id" ${parents}`)} ` +
      `order by k."id" ${dialect.forUpdate("k")}`,
    insertEvents:
      `insert into ${EVENT} ("id", "workflowName", "instanceId", "runNumber", "type", "payload", "eventId", "sizeBytes", ` +
      `"createdAt") select l."eventRowId", l."workflowName", l."instanceId", l."runNumber", l."type", l."payload", ` +
      `l."type", ${dialect.byteLength(`l."payload"`)}, ${clock} ${parents} ` +
      `where ${filter(`i."status" not in ('complete', 'errored', 'terminated')`)} on conflict do nothing`,
    wakeTasks:
      `update ${TASK} as t set "kind" = 'wake', "priority" = 0, "runAt" = ${dialect.least(`t."runAt"`, clock)}, ` +
      `"updatedAt" = ${clock}, "_version" = t."_version" + 1 ` +
      `where ${dialect.isKeyAmong(`t."id"`, awaitingTasks(dialect, ends))} and ${filter(`t."status" = 'pending'`)}` +
      ` returning "id"${hint(dialect, "t", "true", ", ")}`,
  };
}

/** The tasks of waiting parents, to be followed by further conditions. Only for events that were stored just now. */
function awaitingTasks(dialect: Dialect, ends: string): string {
  const key = `${sameRun("s", "l")} and s."stepKey" = l."stepKey"`;
  return (
    `select t."id" from ${ends} ${dialect.joinEach(EVENT, "e", dialect.isKey(`e."id"`, `l."eventRowId"`))} ` +
    `${dialect.joinEach(STEP, "s", key, UNIQUE_STEP)} ${dialect.joinEach(INSTANCE, "i", instanceOf(dialect, "l"))} ` +
    `${dialect.joinEach(TASK, "t", isTaskOf(dialect, "l"))} ` +
    `where ${filter(`s."status" = 'waiting' and s."waitEventType" = l."type" and i."status" = 'waiting'`)}`
  );
}
