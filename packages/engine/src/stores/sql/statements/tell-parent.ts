/** Tells parents of their children's ends: as `sendEvent` does, once for a step and child, and whatever the run holds. */
import type { Dialect } from "@escapement/db";
import { hint } from "./hint.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, instanceOf, sameRun, STEP, TASK } from "./tables.ts";

/** In this order. */
export interface TellStatements {
  readonly lockTasks: string;
  readonly lockInstances: string;
  readonly insertEvents: string;
  readonly wakeTasks: string;
}

/** Type and id of the event: `toChildEvent` of core says the same. */
export const childEvent = (child: string, stepKey: string): string =>
  `'child ' || ${child} || ' ' || ${stepKey}`;

/**
 * @param ends FROM item `l`: of each end the parent's run (`workflowName`, `instanceId`, `runNumber`), `type`, `eventRowId`,
 *   `payload`
 */
export function tellParents(dialect: Dialect, ends: string): TellStatements {
  const { clock } = dialect;
  const tasks = `select t."id" from ${ends} ${dialect.joinEach(TASK, "t", sameRun("t", "l"))}`;
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
      `where ${dialect.isKeyAmong(`t."id"`, `${tasks} where ${isAwaited(dialect)}`)} and ${filter(`t."status" = 'pending'`)}` +
      hint(dialect, "t", "true", " returning "),
  };
}

const isAwaited = (dialect: Dialect): string =>
  `${filter(`exists (select 1 from ${EVENT} as e where e."id" = l."eventRowId" and ${sameRun("e", "l")})`)} ` +
  `and ${filter(`exists (select 1 from ${INSTANCE} as i where ${instanceOf(dialect, "l")} and i."status" = 'waiting')`)} ` +
  `and ${filter(
    `exists (select 1 from ${STEP} as s where ${sameRun("s", "l")} and s."status" = 'waiting' ` +
      `and s."waitEventType" = l."type")`,
  )}`;
