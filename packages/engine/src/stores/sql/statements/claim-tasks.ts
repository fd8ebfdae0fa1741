/** First statement of a claim: takes due tasks. Parameters: token, leaseMs, limit, workflow names, how to treat suspects. */
import type { Dialect } from "@escapement/db/client";
import { BACKOFF_ATTEMPTS, LONGEST_BACKOFF_MS } from "../../../core/lease.ts";
import { SUSPECT_ATTEMPTS } from "../../../core/suspects.ts";
import { STARTING_TASK_HANDICAP_MS } from "../../../ports/claim.ts";
import { expectOneRow } from "./planner-hints.ts";
import { TASK } from "./tables.ts";
import { firstOfEach, type TaskRange } from "./task-ranges.ts";

/** Assignment of a claim: the number that distinguishes its lease. */
export const COUNT_CLAIM = `"claimNumber" = coalesce(t."claimNumber", 0) + 1`;

/** The columns that a claim reads of a task. */
export const claimedTaskColumns = (dialect: Dialect): string =>
  `"id", "workflowName", "instanceId", "runNumber", "attempts", "claimNumber", "priority", ` +
  `${dialect.toMs(`"runAt"`)} as "runAtMs"`;

/** Condition: `t`, which is processing, is a suspect. */
export const IS_SUSPECT: string = `t."attempts" >= ${SUSPECT_ATTEMPTS}`;

/**
 * Rows: the claimed tasks in no order; sort them by `runAtMs` plus the handicap.
 *
 * For each workflow, it reads three ranges in index order, each bounded by the limit: pending resuming tasks, pending starting
 * tasks, and expired leases. Postgres skips rows that another claim has locked, so claims never wait for each other. A suspect
 * that has to be alone is looked for first; if there is one, nothing else is claimed.
 */
export function claimTasks(dialect: Dialect): string {
  const { now } = dialect;
  const attempts = `case when t."status" = 'processing' then t."attempts" + 1 else 1 end`;
  const ranges = [pendingTasks(dialect, 0), pendingTasks(dialect, 1), expiredLeases(dialect)];
  return (
    `with suspects as materialized (select "id" from (${oneSuspect(dialect)}) as expired ` +
    `where ${dialect.param(5)} = 'alone' order by "lockedUntil" limit 1), ` +
    `due as materialized (select "id" from (${ranges.join(" union all ")}) as candidates ` +
    `where not exists (select 1 from suspects) order by ${orderAt(dialect)}, "priority" desc, "runAt", "id" ` +
    `limit ${dialect.param(3)}) ` +
    `update ${TASK} as t set "attempts" = ${attempts}, ${COUNT_CLAIM}, ` +
    // A run whose lease ended has more steps than when it was parked.
    `"historyBytes" = case when t."status" = 'pending' then t."historyBytes" end, ` +
    `"status" = 'processing', "lockOwner" = ${dialect.param(1)}, ` +
    `"lockedUntil" = ${dialect.plusMs(now, leaseMsOf(dialect, attempts))}, ` +
    `"updatedAt" = ${now}, "_version" = t."_version" + 1 ` +
    `from (select "id" as "dueId" from due union all select "id" from suspects) as d ` +
    `where ${dialect.isKey(`t."id"`, `d."dueId"`)} and ${expectOneRow(`d."dueId"`)} ` +
    `returning ${claimedTaskColumns(dialect)}`
  );
}

/** `leaseMsOf` of core in SQL. */
function leaseMsOf(dialect: Dialect, attempts: string): string {
  const leaseMs = `cast(${dialect.param(2)} as bigint)`;
  // Sixteen doublings reach the bound from ten milliseconds. More would overflow at some point.
  const doublings = dialect.least(dialect.greatest(`${attempts} - ${BACKOFF_ATTEMPTS}`, "0"), "16");
  const longer = `${leaseMs} * (1 << ${doublings})`;
  return dialect.greatest(leaseMs, dialect.least(longer, String(LONGEST_BACKOFF_MS)));
}

const orderAt = (dialect: Dialect): string =>
  dialect.plusMs(`"runAt"`, `"priority" * ${STARTING_TASK_HANDICAP_MS}`);

const firstTasks = (
  dialect: Dialect,
  range: Pick<TaskRange, "status" | "orderBy" | "where">,
  alias: string,
): string =>
  `select * from (${firstOfEach(dialect, 4, {
    ...range,
    columns: ["id", "priority", "runAt"],
    limit: dialect.param(3),
    isLocked: true,
  })}) as ${alias}`;

const pendingTasks = (dialect: Dialect, priority: number): string =>
  firstTasks(
    dialect,
    {
      status: "pending",
      orderBy: "runAt",
      where: `t."priority" = ${priority} and t."runAt" <= ${dialect.now}`,
    },
    `priority${priority}`,
  );

const expiredLeases = (dialect: Dialect): string =>
  firstTasks(
    dialect,
    {
      status: "processing",
      orderBy: "lockedUntil",
      where: `t."lockedUntil" <= ${dialect.now} and (not ${IS_SUSPECT} or ${dialect.param(5)} = 'any')`,
    },
    "expired",
  );

const oneSuspect = (dialect: Dialect): string =>
  firstOfEach(dialect, 4, {
    status: "processing",
    orderBy: "lockedUntil",
    where: `t."lockedUntil" <= ${dialect.now} and ${IS_SUSPECT}`,
    columns: ["id", "lockedUntil"],
    limit: dialect.least(dialect.param(3), "1"),
    isLocked: true,
  });
