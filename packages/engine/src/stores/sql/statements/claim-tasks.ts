/** First statement of a claim: takes due tasks. Parameters: token, leaseMs, limit, workflow names. */
import type { Dialect } from "@escapement/db";
import { STARTING_TASK_HANDICAP_MS } from "../../../ports/store.ts";
import { expectOneRow } from "./planner-hints.ts";
import { TASK } from "./tables.ts";
import { isRegistered } from "./workflow-filter.ts";

/** What a claim reads of a task. */
export const claimedTaskColumns = (dialect: Dialect): string =>
  `"id", "workflowName", "instanceId", "runNumber", "attempts", "priority", ` +
  `${dialect.toMs(`"runAt"`)} as "runAtMs"`;

/**
 * Rows: the claimed tasks in no order; sort them by `runAtMs` + handicap.
 *
 * Three ranges of index order, each bounded by the limit: pending resuming, pending starting, expired leases. Postgres
 * locks at most three times the limit and skips what another claimer holds, so claimers never wait for each other.
 */
export function claimTasks(dialect: Dialect): string {
  const { now } = dialect;
  return (
    `with due as materialized (select "id" from (` +
    [0, 1].map((priority) => pendingLane(dialect, priority)).join(" union all ") +
    ` union all ${expiredLane(dialect)}) as candidates ` +
    `order by "orderAt", "priority" desc, "runAt", "id" limit ${dialect.param(3)}) ` +
    `update ${TASK} as t set "attempts" = case when t."status" = 'processing' then t."attempts" + 1 else 1 end, ` +
    `"status" = 'processing', "lockOwner" = ${dialect.param(1)}, ` +
    `"lockedUntil" = ${dialect.plusMs(now, dialect.param(2))}, ` +
    `"updatedAt" = ${now}, "_version" = t."_version" + 1 ` +
    `from (select "id" as "dueId" from due) as d where t."id" = d."dueId" and ${expectOneRow(`d."dueId"`)} ` +
    `returning ${claimedTaskColumns(dialect)}`
  );
}

function candidates(dialect: Dialect, condition: string, orderBy: string): string {
  const orderAt = dialect.plusMs(`t."runAt"`, `t."priority" * ${STARTING_TASK_HANDICAP_MS}`);
  return (
    `select * from (select t."id", t."priority", t."runAt", ` +
    `${orderAt} as "orderAt" from ${TASK} as t ` +
    `where ${condition} and ${isRegistered(dialect, "t", 4)} ` +
    `order by t."${orderBy}" limit ${dialect.param(3)} ${dialect.forUpdate("t", { skipLocked: true })})`
  );
}

const pendingLane = (dialect: Dialect, priority: number): string =>
  `${candidates(
    dialect,
    `t."status" = 'pending' and t."priority" = ${priority} and t."runAt" <= ${dialect.now}`,
    "runAt",
  )} as lane${priority}`;

const expiredLane = (dialect: Dialect): string =>
  `${candidates(
    dialect,
    `t."status" = 'processing' and t."lockedUntil" <= ${dialect.now}`,
    "lockedUntil",
  )} as expired`;
