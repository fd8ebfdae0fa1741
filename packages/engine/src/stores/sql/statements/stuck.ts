/** @module Finds stuck instances: see `STUCK_AFTER_MS`. Loaded with the first call. */
import type { Dialect } from "@escapement/db/client";
import { SUSPECT_ATTEMPTS } from "../../../core/suspects.ts";
import { LIVE_STATUSES, MAX_IN_ORDER, STUCK_AFTER_MS } from "../../../ports/find-instances.ts";
import { UNIQUE_INSTANCE } from "./instance-key.ts";
import { filter } from "./planner-hints.ts";
import { firstOfEach, TASK_INDEXES, type TaskRange } from "./task-ranges.ts";
import { INSTANCE, TASK } from "./tables.ts";

const longAgo = (dialect: Dialect): string => dialect.plusMs(dialect.now, `(-${STUCK_AFTER_MS})`);

const HAS_ENDED_PROCESSES = `t."attempts" > ${SUSPECT_ATTEMPTS}`;

const IS_LIVE = `r."status" in (${LIVE_STATUSES.map((status) => `'${status}'`).join(", ")})`;

/** Condition: the instance `r` is stuck. */
export function isStuck(dialect: Dialect): string {
  const since = longAgo(dialect);
  const isAmiss =
    `(t."status" = 'pending' and t."runAt" <= ${since}) or ` +
    `(t."status" = 'processing' and (t."lockedUntil" <= ${since} or ${HAS_ENDED_PROCESSES}))`;
  return `(${IS_LIVE} and exists (select 1 from ${taskOf(dialect)} where ${filter(isAmiss)}))`;
}

/** FROM item and condition: the task `t` of the instance `r`. */
function taskOf(dialect: Dialect): string {
  const isOfRun = `t."runNumber" = r."runNumber"`;
  const isOf = `t."workflowName" = r."workflowName" and t."instanceId" = r."instanceId"`;
  if (dialect.name === "sqlite")
    return `(select t.* from ${TASK} as t where ${isOf} and ${isOfRun}) as t`;
  // Written as in `isTaskKey`, as one look-up. The limit makes Postgres ask for each row. Without it, Postgres would
  // read all overdue tasks and look for the row among them.
  return (
    `(select f.* from (select t.* from ${TASK} as t where (t."workflowName", t."instanceId") >= (r."workflowName", r."instanceId") ` +
    `order by t."workflowName", t."instanceId", t."runNumber" limit 1) as f ` +
    `where ${filter(`${isOf} and ${isOfRun}`.replaceAll(/\bt\./g, "f."))}) as t`
  );
}

/**
 * SELECT of the keys of runs that may be stuck, for the workflows in a parameter in the form for `firstOfEach`: up to one more
 * than are sorted. Each range is in an index that has no other tasks.
 */
export function stuckKeys(dialect: Dialect, names: number): string {
  const since = longAgo(dialect);
  const ranges: readonly Range[] = [
    ...[0, 1].map((priority) => ({
      status: "pending" as const,
      orderBy: "runAt" as const,
      where: `t."priority" = ${priority} and t."runAt" <= ${since}`,
    })),
    { status: "processing", orderBy: "lockedUntil", where: `t."lockedUntil" <= ${since}` },
    {
      status: "processing",
      orderBy: "attempts",
      where: `${HAS_ENDED_PROCESSES} and ${filter(`t."lockedUntil" > ${since}`)}`,
    },
  ];
  const found = ranges.map(
    (range, index) => `select * from (${keysOf(dialect, names, range)}) as f${index}`,
  );
  return `select u."workflowName", u."instanceId", u."runNumber" from (${found.join(" union all ")}) as u limit ${MAX_IN_ORDER + 1}`;
}

type Range = Pick<TaskRange, "status" | "orderBy" | "where">;

const KEY = ["workflowName", "instanceId", "runNumber"];

/** SELECT of a range's keys, of all workflows. */
function keysOf(dialect: Dialect, names: number, range: Range): string {
  const index = TASK_INDEXES[range.orderBy];
  if (dialect.name === "sqlite" && index !== null) {
    const isIn = `t."workflowName" = w.value->>'name' and t."status" = '${range.status}' and ${range.where}`;
    const columns = KEY.map((name) => `t."${name}"`).join(", ");
    return `select ${columns} from json_each(${dialect.param(names)}) as w ${dialect.joinEach(TASK, "t", isIn, index)}`;
  }
  const limit = String(MAX_IN_ORDER + 1);
  const rows = firstOfEach(dialect, names, { ...range, columns: KEY, limit });
  // Uses another alias than the surrounding rows of the same table, so that plans can tell them apart.
  return rows.replaceAll(/\bas r\b/g, "as f").replaceAll(/\br\./g, "f.");
}

/** FROM items: the keys `d` of the CTE "keys", each with its instance `r`. Each key is looked up once, by the unique index. */
export function stuckInstances(dialect: Dialect): string {
  if (dialect.name === "sqlite") {
    const isKey = `r."workflowName" = d."workflowName" and r."instanceId" = d."instanceId"`;
    return `"keys" as d ${dialect.joinEach(INSTANCE, "r", isKey, UNIQUE_INSTANCE)}`;
  }
  // For the same reason as in `isInstanceKey`.
  return (
    `"keys" as d cross join lateral (select r.* from ${INSTANCE} as r where r."workflowName" = d."workflowName" ` +
    `and r."instanceId" >= d."instanceId" order by r."instanceId" limit 1) as r`
  );
}

/** Condition on them: `r` is the run of the key, and neither paused nor terminal. */
export const IS_OF_KEY: string =
  filter(`r."instanceId" = d."instanceId"`) + ` and r."runNumber" = d."runNumber" and ${IS_LIVE}`;
