/** Stores an event and wakes the run that waits for it. Both after `lockTask`, so that no commit comes between. */
import type { Dialect } from "@escapement/db";
import { claimedTaskColumns } from "./claim-tasks.ts";
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
  `${dialect.param(5)}, ${dialect.clock} from ${INSTANCE} as i ` +
  `where ${isInstance(dialect, "i")} and i."status" not in ('complete', 'errored', 'terminated') ` +
  `${dialect.forUpdate("i")} on conflict ("id") do nothing`;

/** Parameters: workflow, instance, type. Rows: the task if it was made due; it keeps an earlier due time. */
export const wakeTask = (dialect: Dialect): string => wake(dialect, "");

/** As `wakeTask`, and claims the task. Parameters: workflow, instance, type, token, leaseMs. */
export const wakeAndClaimTask = (dialect: Dialect): string =>
  wake(
    dialect,
    `"status" = 'processing', "attempts" = 1, "lockOwner" = ${dialect.param(4)}, ` +
      `"lockedUntil" = ${dialect.plusMs(dialect.clock, dialect.param(5))}, `,
  );

const wake = (dialect: Dialect, claim: string): string =>
  `update ${TASK} as t set "kind" = 'wake', "priority" = 0, ${claim}` +
  `"runAt" = ${dialect.least(`t."runAt"`, dialect.clock)}, ` +
  `"updatedAt" = ${dialect.clock}, "_version" = t."_version" + 1 ` +
  `where ${isOfInstance(dialect, "t")} and t."status" = 'pending' ` +
  `and exists (select 1 from ${INSTANCE} as i where ${instanceOf(dialect, "t")} and ${filter(`i."status" = 'waiting'`)}) ` +
  `and exists (select 1 from ${STEP} as s where ${sameRun("s", "t")} and s."status" = 'waiting' ` +
  `and s."waitEventType" = ${dialect.param(3)} ` +
  `and (s."wakeAt" is null or s."wakeAt" > ${dialect.clock})) ` +
  `returning ${claimedTaskColumns(dialect)}`;
