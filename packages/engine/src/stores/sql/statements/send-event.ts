/** Stores an event and wakes the run that waits for it. Both after `lockTask`, so that no commit comes between. */
import type { Dialect } from "@escapement/db";
import { isInstance, isOfInstance } from "./lock.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, instanceOf, sameRun, STEP, TASK } from "./tables.ts";

/**
 * Parameters: workflow, instance, event row id, type, payload. Locks the instance too, so that the sequence rises in
 * the order of acceptance even where there is no task (paused). Sent twice under one row id, it is stored once.
 */
export const insertEvent = (dialect: Dialect): string =>
  `insert into ${EVENT} ("id", "workflowName", "instanceId", "runNumber", "type", "payload", "createdAt") ` +
  `select ${dialect.param(3)}, i."workflowName", i."instanceId", i."runNumber", ${dialect.param(4)}, ` +
  `${dialect.param(5)}, ${dialect.fromMs(dialect.clockMs)} from ${INSTANCE} as i ` +
  `where ${isInstance(dialect, "i")} and i."status" not in ('complete', 'errored', 'terminated') ` +
  `${dialect.forUpdate("i")} on conflict ("id") do nothing`;

/** Parameters: workflow, instance, type. Rows: one when the task was made due; it keeps an earlier due time. */
export const wakeTask = (dialect: Dialect): string =>
  `update ${TASK} as t set "kind" = 'wake', "priority" = 0, ` +
  `"runAt" = ${dialect.fromMs(dialect.least(dialect.toMs(`t."runAt"`), dialect.clockMs))}, ` +
  `"updatedAt" = ${dialect.fromMs(dialect.clockMs)}, "_version" = t."_version" + 1 ` +
  `where ${isOfInstance(dialect, "t")} and t."status" = 'pending' ` +
  `and exists (select 1 from ${INSTANCE} as i where ${instanceOf(dialect, "t")} and ${filter(`i."status" = 'waiting'`)}) ` +
  `and exists (select 1 from ${STEP} as s where ${sameRun("s", "t")} and s."status" = 'waiting' ` +
  `and s."waitEventType" = ${dialect.param(3)} ` +
  `and (s."wakeAt" is null or s."wakeAt" > ${dialect.fromMs(dialect.clockMs)})) ` +
  `returning "id"`;
