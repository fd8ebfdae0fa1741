/**
 * @module Checks a database: settings, clock, schema, and work that stands still in its tables. Each look is bounded. Loaded by
 * `escapement doctor`.
 */
import type { Database, Row } from "@escapement/db";
import { WorkflowError } from "@escapement/engine";
import { assertMigrated } from "@escapement/engine/store/sql";
import { BULK, readKnownNames } from "../database/known-names.ts";
import { openDatabase, type OpenOptions } from "../database/open-database.ts";
import { toRefusal } from "../database/to-refusal.ts";
import { count, type Finding, ok, skipped, toLength, wrong } from "./finding.ts";
import { checkPooler } from "./pooler-check.ts";
import { SETTINGS, toSettings } from "./settings-checks.ts";

/** The expectations on a deployment. */
export interface Expectations {
  /** How long due work may wait for a tick or a loop, in milliseconds. */
  readonly lateMs: number;
}

/** Never rejects because of what a check finds. @throws {UsageError}; {RefusedError} DRIVER_MISSING, DATABASE_NOT_FOUND */
export async function checkDatabase(
  db: string,
  options: OpenOptions & Expectations,
): Promise<readonly Finding[]> {
  const database = await openDatabase(db, options);
  try {
    const reached = await checkReached(database);
    if (reached.result === "fail") return [reached];
    const schema = await checkSchema(database);
    const settings = [
      reached,
      schema,
      ...(await checkSettings(database)),
      await checkClock(database),
      ...(database.dialect.name === "postgres" ? [await checkPooler(db, options)] : []),
    ];
    // Tables of another version may have a different form.
    if (schema.result === "fail") return [...settings, SECRETS];
    return [...settings, ...(await checkTables(database, options)), SECRETS];
  } finally {
    await database.close();
  }
}

/** Looks at what stands still in the tables. */
export const checkTables = async (
  database: Database,
  expected: Expectations,
): Promise<readonly Finding[]> => [
  await checkLateness(database, expected),
  await checkLeases(database),
  await checkStrays(database),
];

/** A server has them, in its environment. */
const SECRETS = skipped(
  "secrets",
  "only a server has secrets: check them with `escapement doctor --url <API>`",
);

/** The rows of one statement. @throws {DatabaseError} */
export async function ask(database: Database, text: string): Promise<readonly Row[]> {
  const result = await database.batch([{ text, values: [] }], { byKeys: true });
  return result.kind === "committed" ? (result.rows[0] ?? []) : [];
}

async function checkReached(database: Database): Promise<Finding> {
  try {
    await ask(database, "select 1 as one");
    return ok("reached", "the database answers");
  } catch (error) {
    return wrong("reached", "fail", [
      `the database does not answer: ${toRefusal(error).message}`,
      "nothing runs without it",
      "check the URL, the password, the network and whether the server is up",
    ]);
  }
}

async function checkSchema(database: Database): Promise<Finding> {
  try {
    await assertMigrated(database);
    return ok("schema", "the tables match this version");
  } catch (error) {
    const isNewer =
      WorkflowError.is(error) &&
      Number(error.details["databaseVersion"]) > Number(error.details["codeVersion"]);
    return wrong("schema", "fail", [
      toRefusal(error).message,
      "processes of another version refuse to start, or fail at what is missing",
      isNewer
        ? "run the newest version of the packages everywhere"
        : "deploy with migrations on, or call `store.migrate()` before the deploy; running processes go on meanwhile",
    ]);
  }
}

async function checkSettings(database: Database): Promise<readonly Finding[]> {
  const { name } = database.dialect;
  const [row] = await ask(database, SETTINGS[name]).catch(() => []);
  return toSettings(name, row);
}

/** Up to this difference, the clocks of processes and database do no harm, in milliseconds. */
const SKEW_WARN_MS = 2000;
/** Signatures of ticks are accepted within five minutes; half of that is too close. */
const SKEW_FAIL_MS = 150_000;

async function checkClock(database: Database): Promise<Finding> {
  const before = Date.now();
  const [row] = await ask(database, `select ${database.dialect.clockMs} as now`);
  const after = Date.now();
  const skew = Number(row?.["now"]) - (before + after) / 2;
  // Part of the time, the answer was on its way.
  const surely = Math.max(0, Math.abs(skew) - (after - before) / 2);
  if (surely < SKEW_WARN_MS) return ok("clock", "this machine and the database agree");
  return wrong("clock", surely < SKEW_FAIL_MS ? "warn" : "fail", [
    `this machine is ${toLength(surely)} ${skew < 0 ? "ahead of" : "behind"} the database`,
    "the database's time decides when work is due, but signed ticks are refused when clocks differ by minutes, and `delay` and deadlines given as dates come out wrong",
    "run NTP on both machines",
  ]);
}

/** Rows that are looked at: a database of millions is looked at no longer. */
const LOOKED_AT = 10_000;

const TASK = `"workflow_task_workflows"`;
const INSTANCE = `"workflow_instance_workflows"`;

/** Workflows that a database may have something of, at most. */
const MOST_NAMES = 1000;

/** CTE: the names of workflows that have queued tasks. One look at an index for each. */
const PENDING_NAMES =
  `with recursive "pending"("name", "count") as (` +
  `select min("workflowName"), 1 from ${TASK} where "status" = 'pending' union all ` +
  `select (select min(t."workflowName") from ${TASK} t where t."status" = 'pending' and t."workflowName" > p."name"), "count" + 1 ` +
  `from "pending" p where p."name" is not null and "count" < ${MOST_NAMES})`;

/** Expression: when the first task of a workflow with this priority is due. */
const firstOf = (priority: number): string =>
  `(select t."runAt" from ${TASK} t where t."workflowName" = p."name" and t."status" = 'pending' ` +
  `and t."priority" = ${priority} order by t."runAt" limit 1)`;

async function checkLateness(database: Database, { lateMs }: Expectations): Promise<Finding> {
  const { toMs, nowMs } = database.dialect;
  const [row] = await ask(
    database,
    `${PENDING_NAMES} select min(${toMs(`f."runAt"`)}) as since, ${nowMs} as now from (` +
      [0, 1]
        .map((priority) => `select ${firstOf(priority)} as "runAt" from "pending" p`)
        .join(" union all ") +
      `) f`,
  );
  const since = row?.["since"] ?? null;
  const waitedMs = since === null ? 0 : Number(row?.["now"]) - Number(since);
  if (waitedMs <= lateMs) return ok("ticks", "no due work has waited long");
  return wrong("ticks", "fail", [
    `work has been due for ${toLength(waitedMs)} and nobody has taken it`,
    "no process ticks or runs a loop, all of them are full, or none has the workflow's code",
    "see `escapement explain` of one that is queued; check the schedule that ticks, its secret, and whether the processes are up",
  ]);
}

/** Any live process would have taken over a lease that ended this long ago. */
const LEFT_MS = 60_000;
/** No lease is that long, so a clock has jumped. */
const FAR_MS = 3_600_000;

async function checkLeases(database: Database): Promise<Finding> {
  const { toMs, nowMs } = database.dialect;
  const until = toMs(`"lockedUntil"`);
  const [row] = await ask(
    database,
    `select coalesce(sum(case when ${until} is null or ${until} < ${nowMs} - ${LEFT_MS} then 1 else 0 end), 0) as "left", ` +
      `coalesce(sum(case when ${until} > ${nowMs} + ${FAR_MS} then 1 else 0 end), 0) as "far", ` +
      `coalesce(sum(case when "attempts" > 2 then 1 else 0 end), 0) as "looping" from ` +
      `(select * from ${TASK}${database.dialect.byIndex("idx_lease_workflow_task_workflows")} where "status" = 'processing' order by "workflowName" limit ${LOOKED_AT}) t`,
  );
  const [left, far, looping] = ["left", "far", "looping"].map((name) => Number(row?.[name]));
  const found = [
    left ? `${count(left, "lease")} ended over a minute ago and nobody took over` : "",
    far ? `${count(far, "lease")} ${far === 1 ? "ends" : "end"} only in an hour or later` : "",
    looping ? `${count(looping, "run")} lost three processes or more in a row` : "",
  ].filter((text) => text !== "");
  if (found.length === 0) return ok("leases", "no lease is stuck");
  return wrong("leases", left || far ? "fail" : "warn", [
    found.join("; "),
    "these runs stand still, or take their processes down with them",
    "see `escapement explain` of one that is running; start a process that has its workflow; look into the log for what ends processes (memory, a time limit)",
  ]);
}

async function checkStrays(database: Database): Promise<Finding> {
  const { workflows, staged, hasBulk } = await readKnownNames(database);
  const known = hasBulk ? [...workflows, BULK] : workflows;
  const live = await countLiveWithoutTask(database, known);
  const [row] = await ask(
    database,
    `select (${withoutInstance(TASK)}) as tasks, (${withoutInstance(`"workflow_step_workflows"`)}) as steps, ` +
      `(${withoutInstance(`"workflow_event_workflows"`)}) as events`,
  );
  const [tasks, steps, events] = ["tasks", "steps", "events"].map((name) => Number(row?.[name]));
  const found = [
    live ? `${count(live, "live instance")} in no queue` : "",
    tasks ? `${count(tasks, "queue entry", "queue entries")} of no instance` : "",
    steps ? `${count(steps, "step")} of no instance` : "",
    events ? `${count(events, "event")} of no instance` : "",
    staged.length > 0
      ? `rows that ${count(importsOf(staged), "import is bringing", "imports are bringing")} or left when it died`
      : "",
  ].filter((text) => text !== "");
  if (found.length === 0) return ok("strays", `none among the newest ${LOOKED_AT} rows of a table`);
  return wrong("strays", live || tasks ? "fail" : "warn", [
    found.join("; "),
    "somebody wrote to the tables by hand, or a backup was restored in part: such instances never go on, such rows are never removed",
    toStrayAdvice(live, staged),
  ]);
}

/** Each import brings one file, with one workflow or several. */
const importsOf = (staged: readonly string[]): number =>
  new Set(staged.map((name) => name.split(" ")[1])).size;

function toStrayAdvice(live: number, staged: readonly string[]): string {
  if (live > 0) return "`escapement restart` an instance that is in no queue, or `terminate` it";
  if (staged.length > 0)
    return "where no import is under way, import that file again: it removes what the earlier try has left, or delete the rows whose workflow begins with `!import`";
  return "delete these rows by hand, after a look at where they come from";
}

const withoutInstance = (table: string): string =>
  `select count(*) from (select "workflowName", "instanceId" from ${table} order by "id" desc limit ${LOOKED_AT}) r ` +
  `where not exists (select 1 from ${INSTANCE} i where i."workflowName" = r."workflowName" and i."instanceId" = r."instanceId") ` +
  // Topics have their own entries in the queue.
  `and exists (select 1 from ${INSTANCE} k where k."workflowName" = r."workflowName")`;

async function countLiveWithoutTask(
  database: Database,
  workflows: readonly string[],
): Promise<number> {
  if (workflows.length === 0) return 0;
  const names = workflows.map((name) => `'${name.replaceAll("'", "''")}'`).join(", ");
  const [row] = await ask(
    database,
    `select count(*) as live from (select "workflowName", "instanceId", "runNumber" from ${INSTANCE} ` +
      `where "workflowName" in (${names}) and "status" in ('queued', 'running', 'waiting', 'waitingForPause') limit ${LOOKED_AT}) i ` +
      `where not exists (select 1 from ${TASK} t where t."workflowName" = i."workflowName" ` +
      `and t."instanceId" = i."instanceId" and t."runNumber" = i."runNumber")`,
  );
  return Number(row?.["live"] ?? 0);
}
