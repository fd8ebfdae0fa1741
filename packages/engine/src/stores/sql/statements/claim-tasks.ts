/** First statement of a claim: takes due tasks. Parameters: token, leaseMs, limit, workflow names. */
import type { Dialect } from "@escapement/db";
import { STARTING_TASK_HANDICAP_MS } from "../../../ports/store.ts";
import { expectOneRow } from "./planner-hints.ts";
import { TASK } from "./tables.ts";
import { isRegistered } from "./workflow-filter.ts";

/**
 * Rows: the claimed tasks in no order; sort them by `runAtMs` + handicap.
 *
 * Three ranges of index order, each bounded by the limit: pending resuming, pending starting, expired leases. Postgres
 * locks at most three times the limit and skips what another claimer holds, so claimers never wait for each other.
 */
export function claimTasks(dialect: Dialect): string {
  const now = dialect.nowMs;
  return (
    `with due as materialized (select "id" from (` +
    [0, 1].map((priority) => pendingLane(dialect, priority)).join(" union all ") +
    ` union all ${expiredLane(dialect)}) as candidates ` +
    `order by "orderMs", "priority" desc, "runAtMs", "id" limit ${dialect.param(3)}) ` +
    `update ${TASK} as t set "attempts" = case when t."status" = 'processing' then t."attempts" + 1 else 1 end, ` +
    `"status" = 'processing', "lockOwner" = ${dialect.param(1)}, ` +
    `"lockedUntil" = ${dialect.fromMs(`${now} + ${dialect.param(2)}`)}, ` +
    `"updatedAt" = ${dialect.fromMs(now)}, "_version" = t."_version" + 1 ` +
    `from (select "id" as "dueId" from due) as d where t."id" = d."dueId" and ${expectOneRow(`d."dueId"`)} ` +
    `returning "id", "workflowName", "instanceId", "runNumber", "attempts", "priority", ` +
    `${dialect.toMs(`"runAt"`)} as "runAtMs"`
  );
}

function candidates(dialect: Dialect, condition: string, orderBy: string): string {
  const runAtMs = dialect.toMs(`t."runAt"`);
  return (
    `select * from (select t."id", t."priority", ${runAtMs} as "runAtMs", ` +
    `${runAtMs} + t."priority" * ${STARTING_TASK_HANDICAP_MS} as "orderMs" from ${TASK} as t ` +
    `where ${condition} and ${isRegistered(dialect, "t", 4)} ` +
    `order by t."${orderBy}" limit ${dialect.param(3)} ${dialect.forUpdate("t", { skipLocked: true })})`
  );
}

const pendingLane = (dialect: Dialect, priority: number): string =>
  `${candidates(
    dialect,
    `t."status" = 'pending' and t."priority" = ${priority} and t."runAt" <= ${dialect.fromMs(dialect.nowMs)}`,
    "runAt",
  )} as lane${priority}`;

const expiredLane = (dialect: Dialect): string =>
  `${candidates(
    dialect,
    `t."status" = 'processing' and t."lockedUntil" <= ${dialect.fromMs(dialect.nowMs)}`,
    "lockedUntil",
  )} as expired`;
