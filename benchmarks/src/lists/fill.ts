/** Fills the tables with instances, set by set: most have ended, some failed, few are alive, and of those few are stuck. */
import type { Database } from "@escapement/db";

const WORKFLOWS = 5;
const CHUNK = 100_000;

/** Names of the workflows. */
export const WORKFLOW_NAMES: readonly string[] = Array.from(
  { length: WORKFLOWS },
  (_, index) => `workflow-${index}`,
);

/** Of instance 0, whose children are 3000. */
export const PARENT: { readonly workflowName: string; readonly instanceId: string } = {
  workflowName: "workflow-0",
  instanceId: "i-0",
};

const COLUMNS =
  `"id", "instanceId", "workflowName", "status", "createdAt", "updatedAt", "params", "output", ` +
  `"errorName", "errorMessage", "errorDetail", "tags", "pauseRequested", "runNumber", "parentWorkflowName", "parentInstanceId", "parentRunNumber", "parentStepKey", ` +
  `"startedAt", "completedAt"`;

/** Status of the instance `n`, by thousandths. */
const STATUS =
  `case when n % 1000 < 930 then 'complete' when n % 1000 < 955 then 'errored' when n % 1000 < 965 then 'terminated' ` +
  `when n % 1000 < 990 then 'waiting' when n % 1000 < 995 then 'queued' when n % 1000 < 997 then 'running' ` +
  `when n % 1000 < 998 then 'waitingForPause' else 'paused' end`;

/** One instance a second, the last one now. */
export async function fillInstances(
  database: Database,
  count: number,
  say: (message: string) => void,
): Promise<void> {
  for (let from = 0; from < count; from += CHUNK) {
    const to = Math.min(count, from + CHUNK);
    await apply(database, instancesOf(database, { from, to, count }));
    say(`${to} instances`);
  }
  await apply(database, tasksOf(database));
  await apply(database, stepsOf(database, count));
  await apply(database, "analyze");
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

function instancesOf({ dialect }: Database, { from, to, count }: Range): string {
  const isPostgres = dialect.name === "postgres";
  const at = dialect.plusMs(dialect.now, `((n - ${count}) * 1000)`);
  const flag = isPostgres ? "false" : "0";
  const numbers = isPostgres
    ? `generate_series(${from}, ${to - 1}) as s(n)`
    : `(with recursive c(n) as (select ${from} union all select n + 1 from c where n < ${to - 1}) select n from c) as s`;
  const isChild = `n between 1 and 3000`;
  const error = `n % 1000 between 930 and 954`;
  return (
    `insert into "workflow_instance_workflows" (${COLUMNS}) select 'row-' || n, 'i-' || n, 'workflow-' || (n % ${WORKFLOWS}), ${STATUS}, ` +
    `${at}, ${at}, '{"order":' || n || '}', case when n % 1000 < 930 then '{"ok":true}' end, ` +
    `case when ${error} then 'Error' end, case when ${error} then 'card declined' end, ` +
    `case when ${error} then '{"code":"E_' || (n / 1000 % 20) || '"}' end, ` +
    `case when n % 1000000 = 7 then '["rare"]' else '["region-' || (n / 5 % 10) || '"]' end, ${flag}, 1, ` +
    `case when ${isChild} then '${PARENT.workflowName}' end, case when ${isChild} then '${PARENT.instanceId}' end, ` +
    `case when ${isChild} then 1 end, case when ${isChild} then 'child' end, ${at}, case when n % 1000 < 965 then ${at} end from ${numbers}`
  );
}

/** Of the newest ones, each with more than a look at activity reads: sleeps that ended a second late. */
const STEPS = { instances: 3000, each: 20 };

function stepsOf({ dialect }: Database, count: number): string {
  const { instances, each } = STEPS;
  const later = (ms: string): string => dialect.plusMs(`i."createdAt"`, ms);
  const places = Array.from({ length: each }, (_, place) => `select ${place} as n`);
  return (
    `insert into "workflow_step_workflows" ("id", "workflowName", "instanceId", "runNumber", "stepKey", "name", "type", "status", ` +
    `"attempts", "lostAttempts", "maxAttempts", "wakeAt", "createdAt", "updatedAt") ` +
    `select i."id" || '-' || s.n, i."workflowName", i."instanceId", 1, 'nap ' || s.n, 'nap', 'sleep', 'completed', 1, 0, 1, ` +
    `${later("1000")}, i."createdAt", ${later("2000")} from (${places.join(" union all ")}) as s cross join ` +
    `(select r.* from "workflow_instance_workflows" as r where r."createdAt" >= ` +
    `${dialect.plusMs(dialect.now, `(-1000 * ${Math.min(count, instances)})`)}) as i`
  );
}

/** Every live instance has a task, due tomorrow, but for one in 33: it has been due for an hour. */
function tasksOf({ dialect }: Database): string {
  const at = `case when i."instanceId" like '%65' then ${dialect.plusMs(dialect.now, "(-3600000)")} else ${dialect.plusMs(dialect.now, "86400000")} end`;
  const isRunning = `i."status" in ('running', 'waitingForPause')`;
  return (
    `insert into "workflow_task_workflows" ("id", "workflowName", "instanceId", "runNumber", "kind", "priority", "runAt", "status", "attempts", ` +
    `"maxAttempts", "lockedUntil", "lockOwner", "createdAt", "updatedAt") select 't' || i."id", i."workflowName", i."instanceId", 1, 'wake', 0, ${at}, ` +
    `case when ${isRunning} then 'processing' else 'pending' end, 1, 1, case when ${isRunning} then ${dialect.plusMs(dialect.now, "86400000")} end, ` +
    `case when ${isRunning} then 'somebody' end, i."createdAt", i."updatedAt" from "workflow_instance_workflows" as i ` +
    `where i."status" in ('waiting', 'queued', 'running', 'waitingForPause')`
  );
}

/** As many again are due for an hour, twice. */
export async function fillWithStuck(database: Database): Promise<void> {
  const { dialect } = database;
  const isMeant = `"status" = 'pending' and ("instanceId" like '%66' or "instanceId" like '%67')`;
  const runAt = dialect.plusMs(dialect.now, "(-3600000)");
  await apply(database, `update "workflow_task_workflows" set "runAt" = ${runAt} where ${isMeant}`);
}

async function apply(database: Database, text: string): Promise<void> {
  const result = await database.batch([{ text, values: [] }]);
  if (result.kind !== "committed") throw new Error(`not filled: ${JSON.stringify(result)}`);
}
