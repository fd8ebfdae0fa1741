import { type Dialect, postgresDialect, sqliteDialect } from "@escapement/db";
import { describe, expect, test } from "vitest";
import { LIFECYCLE, type LifecycleCommand } from "../../core/decide/lifecycle.ts";
import { compileStatements, type RowsStatementName, type StatementName } from "./statement-set.ts";

/** Both texts of a statement, one clause a line. */
function sideBySide(name: StatementName | RowsStatementName): string {
  return [postgresDialect, sqliteDialect]
    .map((dialect) => `-- ${dialect.name}\n${lines(textOf(dialect, name))}`)
    .join("\n");
}

function textOf(dialect: Dialect, name: StatementName | RowsStatementName): string {
  const statements = compileStatements(dialect);
  return isOverRows(name) ? statements[name]([]).text : statements[name]().text;
}

const isOverRows = (name: StatementName | RowsStatementName): name is RowsStatementName =>
  /^(?:commit|selectCreated|insertInstances|insertTasks)/u.test(name);

const lines = (text: string): string =>
  text.replaceAll(/ (?=(?:from|join|left join|where|set|on conflict|order by|returning) )/gu, "\n");

describe("statement texts, Postgres and SQLite side by side", () => {
  test("the fence locks tasks in one order and reads what is new", () => {
    expect(sideBySide("commitFence")).toMatchInlineSnapshot(`
      "-- postgres
      select t."id" as "taskId", i."pauseRequested", (date_part('epoch', date_trunc('milliseconds', now() at time zone 'utc')) * 1000)::bigint as "now", e."_internalId", e."id", e."type", e."payload", (date_part('epoch', e."createdAt") * 1000)::bigint as "createdAt", (date_part('epoch', e."deliveredAt") * 1000)::bigint as "deliveredAt", e."consumedByStepKey"
      from json_to_recordset($1::json) as c("taskId" text, "token" text, "instanceRowId" text, "knownSequence" bigint)
      join "workflow_task_workflows" as t on t."id" = c."taskId" and case when t."lockOwner" = c."token" then true else false end and c."taskId" = c."taskId" || ''
      join "workflow_instance_workflows" as i on i."id" = c."instanceRowId" and case when i."runNumber" = t."runNumber" then true else false end
      left
      join "workflow_event_workflows" as e on e."workflowName" = t."workflowName" and e."instanceId" = t."instanceId" and e."runNumber" = t."runNumber" and case when e."deliveredAt" is null then true else false end and e."_internalId" > c."knownSequence"
      order by t."id", e."_internalId" for update of t
      -- sqlite
      select t."id" as "taskId", i."pauseRequested", cast(unixepoch('subsec') * 1000 + 0.5 as integer) as "now", e."_internalId", e."id", e."type", e."payload", e."createdAt" as "createdAt", e."deliveredAt" as "deliveredAt", e."consumedByStepKey"
      from (select value->>'taskId' as "taskId", value->>'token' as "token", value->>'instanceRowId' as "instanceRowId", value->>'knownSequence' as "knownSequence"
      from json_each(?1)) as c
      join "workflow_task_workflows" as t on t."id" = c."taskId" and case when t."lockOwner" = c."token" then true else false end and c."taskId" = c."taskId" || ''
      join "workflow_instance_workflows" as i on i."id" = c."instanceRowId" and case when i."runNumber" = t."runNumber" then true else false end
      left
      join "workflow_event_workflows" as e on e."workflowName" = t."workflowName" and e."instanceId" = t."instanceId" and e."runNumber" = t."runNumber" and case when e."deliveredAt" is null then true else false end and e."_internalId" > c."knownSequence"
      order by t."id", e."_internalId" "
    `);
  });

  test("leases are kept only where they hold", () => {
    expect(sideBySide("commitLeases")).toMatchInlineSnapshot(`
      "-- postgres
      update "workflow_task_workflows" as t
      set "attempts" = coalesce(l."impliedAttempts", t."attempts"), "lockedUntil" = coalesce((date_trunc('milliseconds', now() at time zone 'utc') + (l."renewMs") * interval '1 millisecond'), t."lockedUntil"), "updatedAt" = date_trunc('milliseconds', now() at time zone 'utc'), "_version" = t."_version" + 1
      from (select c."taskId", c."instanceRowId", c."impliedAttempts", c."renewMs", t."workflowName" as "leaseWorkflowName", t."instanceId" as "leaseInstanceId", t."runNumber" as "leaseRunNumber"
      from json_to_recordset($1::json) as c("taskId" text, "token" text, "instanceRowId" text, "impliedAttempts" bigint, "renewMs" bigint)
      join "workflow_task_workflows" as t on t."id" = c."taskId" and case when t."lockOwner" = c."token" then true else false end and c."taskId" = c."taskId" || '') as l
      where t."id" = l."taskId"
      -- sqlite
      update "workflow_task_workflows" as t
      set "attempts" = coalesce(l."impliedAttempts", t."attempts"), "lockedUntil" = coalesce((cast(unixepoch('subsec') * 1000 + 0.5 as integer) + l."renewMs"), t."lockedUntil"), "updatedAt" = cast(unixepoch('subsec') * 1000 + 0.5 as integer), "_version" = t."_version" + 1
      from (select c."taskId", c."instanceRowId", c."impliedAttempts", c."renewMs", t."workflowName" as "leaseWorkflowName", t."instanceId" as "leaseInstanceId", t."runNumber" as "leaseRunNumber"
      from (select value->>'taskId' as "taskId", value->>'token' as "token", value->>'instanceRowId' as "instanceRowId", value->>'impliedAttempts' as "impliedAttempts", value->>'renewMs' as "renewMs"
      from json_each(?1)) as c
      join "workflow_task_workflows" as t on t."id" = c."taskId" and case when t."lockOwner" = c."token" then true else false end and c."taskId" = c."taskId" || '') as l
      where t."id" = l."taskId""
    `);
  });

  test("tasks of ended runs are deleted only where the lease holds", () => {
    expect(sideBySide("commitPaused")).toMatchInlineSnapshot(`
      "-- postgres
      delete
      from "workflow_task_workflows"
      where "id" in (select l."taskId"
      from (select c."taskId", c."instanceRowId", t."workflowName" as "leaseWorkflowName", t."instanceId" as "leaseInstanceId", t."runNumber" as "leaseRunNumber"
      from json_to_recordset($1::json) as c("taskId" text, "token" text, "instanceRowId" text)
      join "workflow_task_workflows" as t on t."id" = c."taskId" and case when t."lockOwner" = c."token" then true else false end and c."taskId" = c."taskId" || '') as l
      join "workflow_instance_workflows" as i on i."id" = l."instanceRowId" and case when i."runNumber" = l."leaseRunNumber" then true else false end
      where case when i."status" = 'paused' then true else false end)
      -- sqlite
      delete
      from "workflow_task_workflows"
      where "id" in (select l."taskId"
      from (select c."taskId", c."instanceRowId", t."workflowName" as "leaseWorkflowName", t."instanceId" as "leaseInstanceId", t."runNumber" as "leaseRunNumber"
      from (select value->>'taskId' as "taskId", value->>'token' as "token", value->>'instanceRowId' as "instanceRowId"
      from json_each(?1)) as c
      join "workflow_task_workflows" as t on t."id" = c."taskId" and case when t."lockOwner" = c."token" then true else false end and c."taskId" = c."taskId" || '') as l
      join "workflow_instance_workflows" as i on i."id" = l."instanceRowId" and case when i."runNumber" = l."leaseRunNumber" then true else false end
      where case when i."status" = 'paused' then true else false end)"
    `);
  });

  test("a wake needs a waiting instance and an open wait", () => {
    expect(sideBySide("wakeTask")).toMatchInlineSnapshot(`
      "-- postgres
      update "workflow_task_workflows" as t
      set "kind" = 'wake', "priority" = 0, "runAt" = least(t."runAt", date_trunc('milliseconds', clock_timestamp() at time zone 'utc')), "updatedAt" = date_trunc('milliseconds', clock_timestamp() at time zone 'utc'), "_version" = t."_version" + 1
      where t."workflowName" = $1 and t."instanceId" = $2 and t."status" = 'pending' and exists (select 1
      from "workflow_instance_workflows" as i
      where i."id" = (select k."id"
      from "workflow_instance_workflows" as k
      where (k."workflowName", k."instanceId") >= (t."workflowName", t."instanceId")
      order by k."workflowName", k."instanceId" limit 1) and case when i."workflowName" = t."workflowName" and i."instanceId" = t."instanceId" then true else false end and i."runNumber" = t."runNumber" and case when i."status" = 'waiting' then true else false end) and exists (select 1
      from "workflow_step_workflows" as s
      where s."workflowName" = t."workflowName" and s."instanceId" = t."instanceId" and s."runNumber" = t."runNumber" and s."status" = 'waiting' and s."waitEventType" = $3 and (s."wakeAt" is null or s."wakeAt" > date_trunc('milliseconds', clock_timestamp() at time zone 'utc')))
      returning "id", "workflowName", "instanceId", "runNumber", "attempts", "priority", (date_part('epoch', "runAt") * 1000)::bigint as "runAtMs"
      -- sqlite
      update "workflow_task_workflows" as t
      set "kind" = 'wake', "priority" = 0, "runAt" = coalesce(min(t."runAt", cast(unixepoch('subsec') * 1000 + 0.5 as integer)), t."runAt", cast(unixepoch('subsec') * 1000 + 0.5 as integer)), "updatedAt" = cast(unixepoch('subsec') * 1000 + 0.5 as integer), "_version" = t."_version" + 1
      where t."workflowName" = ?1 and t."instanceId" = ?2 and t."status" = 'pending' and exists (select 1
      from "workflow_instance_workflows" as i
      where i."workflowName" = t."workflowName" and i."instanceId" = t."instanceId" and i."runNumber" = t."runNumber" and case when i."status" = 'waiting' then true else false end) and exists (select 1
      from "workflow_step_workflows" as s
      where s."workflowName" = t."workflowName" and s."instanceId" = t."instanceId" and s."runNumber" = t."runNumber" and s."status" = 'waiting' and s."waitEventType" = ?3 and (s."wakeAt" is null or s."wakeAt" > cast(unixepoch('subsec') * 1000 + 0.5 as integer)))
      returning "id", "workflowName", "instanceId", "runNumber", "attempts", "priority", "runAt" as "runAtMs""
    `);
  });

  test("a later page begins at an instant that the index can find", () => {
    expect(sideBySide("listByStatusLater")).toMatchInlineSnapshot(`
      "-- postgres
      select i."id", i."workflowName", i."instanceId", i."runNumber", i."status", i."params", i."output", i."errorName", i."errorMessage", i."pauseRequested", (date_part('epoch', i."createdAt") * 1000)::bigint as "createdAt", (date_part('epoch', i."updatedAt") * 1000)::bigint as "updatedAt", (date_part('epoch', i."startedAt") * 1000)::bigint as "startedAt", (date_part('epoch', i."completedAt") * 1000)::bigint as "completedAt"
      from "workflow_instance_workflows" as i
      where i."workflowName" = $1 and i."status" = $3 and i."updatedAt" <= (timestamp '1970-01-01' + ($4) * interval '1 millisecond') and (i."updatedAt" <> (timestamp '1970-01-01' + ($4) * interval '1 millisecond') or i."id" < $5)
      order by i."updatedAt" desc, i."id" desc limit $2
      -- sqlite
      select i."id", i."workflowName", i."instanceId", i."runNumber", i."status", i."params", i."output", i."errorName", i."errorMessage", i."pauseRequested", i."createdAt" as "createdAt", i."updatedAt" as "updatedAt", i."startedAt" as "startedAt", i."completedAt" as "completedAt"
      from "workflow_instance_workflows" as i
      where i."workflowName" = ?1 and i."status" = ?3 and i."updatedAt" <= (?4) and (i."updatedAt" <> (?4) or i."id" < ?5)
      order by i."updatedAt" desc, i."id" desc limit ?2"
    `);
  });
});

describe.each([postgresDialect, sqliteDialect])("every text for $name", (dialect) => {
  const statements = compileStatements(dialect);
  const { control, ...prepared } = statements;
  const names = Object.keys(prepared) as (StatementName | RowsStatementName)[];
  const texts = [
    ...names.map((name) => [name, textOf(dialect, name)] as const),
    ...names.filter(isOverRows).map((name) => [name, statements[name]([{}]).text] as const),
  ];

  test("writes of a runner are fenced by its lease", () => {
    const writes = texts.filter(([name]) => name.startsWith("commit"));
    expect(writes).toHaveLength(2 * 12);
    for (const [, text] of writes) expect(text).toContain(`t."lockOwner" = c."token"`);
  });

  test("updates raise the row's version", () => {
    for (const [, text] of texts.filter(([, candidate]) => candidate.includes("update "))) {
      if (/^(?:update|with)|do update/u.test(text)) expect(text).toMatch(/"_version" = .*\+ 1/u);
    }
  });

  test("nothing is built anew for a call", () => {
    const [one, other] = [{ id: "a" }, { id: "b" }];
    expect(statements.commitSteps([one]).text).toBe(statements.commitSteps([other]).text);
    expect(statements.commitSteps([one, other]).text).toBe(
      statements.commitSteps([one, one, one]).text,
    );
  });

  test("a single row goes by its values, what it lacks as null", () => {
    const { text, values } = statements.commitEnded([{ token: "secret", taskId: "t" }]);
    expect(values).toEqual(["t", "secret", null]);
    expect(text).not.toContain("json");
    expect(statements.commitEnded([{ taskId: "t" }]).values).toEqual(["t", null, null]);
  });

  test.each(Object.keys(LIFECYCLE) as LifecycleCommand[])(
    "%s makes a task exactly when its table says so",
    (command) => {
      const enqueues = Object.values(LIFECYCLE[command].transitions).some(
        (to) => to.task === "enqueue",
      );
      expect(control[command].insertTask !== null).toBe(enqueues);
    },
  );
});
