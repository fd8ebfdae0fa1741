import { type Dialect, postgresDialect, sqliteDialect } from "@escapement/db/client";
import { describe, expect, test } from "vitest";
import { controlStatements } from "./statements/control.ts";
import { replacing } from "./statements/restart-or-create.ts";
import { listInstances } from "./statements/lists.ts";
import { reopenSteps } from "./statements/reopen-steps.ts";
import {
  compileStatements,
  type RowsStatementName,
  type StatementName,
} from "../../testing/plans/compile-statements.ts";
import { textOf } from "./testing-statements.ts";

/** Both texts of a statement, one clause per line. */
const sideBySide = (name: StatementName | RowsStatementName): string =>
  textSideBySide((dialect) => textOf(dialect, name));

const textSideBySide = (text: (dialect: Dialect) => string): string =>
  [postgresDialect, sqliteDialect]
    .map((dialect) => `-- ${dialect.name}\n${lines(text(dialect))}`)
    .join("\n");

const lines = (text: string): string =>
  text.replaceAll(/ (?=(?:from|join|left join|where|set|on conflict|order by|returning) )/gu, "\n");

test("S4-029 a store that notifies differs by what makes tasks due for others, and on Postgres alone", () => {
  const differences = (dialect: Dialect): string[] => {
    const [plain, notifying] = [compileStatements(dialect), compileStatements(dialect, true)];
    const flat = ({ control, ...others }: typeof plain): [string, unknown][] => [
      ...Object.entries(others),
      ...Object.entries(control).flatMap(([command, texts]) =>
        Object.entries(texts).map(([name, make]): [string, unknown] => [
          `${command} ${name}`,
          make,
        ]),
      ),
    ];
    const textOfEach = (set: typeof plain): [string, string][] =>
      flat(set).flatMap(([name, make]): [string, string][] =>
        typeof make === "function" ? [[name, (make([{}, {}]) as { text: string }).text]] : [],
      );
    const known = new Map(textOfEach(plain));
    return textOfEach(notifying).flatMap(([name, text]) =>
      text === known.get(name) ? [] : [`${name}:${text.slice(known.get(name)?.length)}`],
    );
  };
  expect(differences(sqliteDialect)).toEqual([]);
  expect(differences(postgresDialect)).toMatchInlineSnapshot(`
    [
      "commitSchedule:, case when l."kind" = 'resume' then pg_notify('escapement_' || t.tableoid::text, '')::text end as "hint"",
      "wakeTask:, case when true then pg_notify('escapement_' || t.tableoid::text, '')::text end as "hint"",
      "insertTasks: returning case when "workflow_task_workflows"."status" = 'pending' then pg_notify('escapement_' || "workflow_task_workflows".tableoid::text, '')::text end as "hint"",
      "resume insertTask: returning case when true then pg_notify('escapement_' || "workflow_task_workflows".tableoid::text, '')::text end as "hint"",
      "cancel insertTask: returning case when true then pg_notify('escapement_' || "workflow_task_workflows".tableoid::text, '')::text end as "hint"",
      "rollback insertTask: returning case when true then pg_notify('escapement_' || "workflow_task_workflows".tableoid::text, '')::text end as "hint"",
      "restart insertTask: returning case when true then pg_notify('escapement_' || "workflow_task_workflows".tableoid::text, '')::text end as "hint"",
      "restartWithNewKeys insertTask: returning case when true then pg_notify('escapement_' || "workflow_task_workflows".tableoid::text, '')::text end as "hint"",
      "retry insertTask: returning case when true then pg_notify('escapement_' || "workflow_task_workflows".tableoid::text, '')::text end as "hint"",
    ]
  `);
});

describe("statement texts, Postgres and SQLite side by side", () => {
  test("S6-022 a restart of restartOrCreate leaves alone what the call has created", () => {
    const { updateInstance } = controlStatements(
      postgresDialect,
      "restart",
      replacing(postgresDialect),
    );
    expect(lines(updateInstance)).toMatchInlineSnapshot(`
      "update "workflow_instance_workflows"
      set "status" = case "status" when 'queued' then 'queued' when 'running' then 'queued' when 'waiting' then 'queued' when 'waitingForPause' then 'queued' when 'paused' then 'queued' when 'complete' then 'queued' when 'errored' then 'queued' when 'terminated' then 'queued' end, "pauseRequested" = case "status" when 'queued' then false when 'running' then false when 'waiting' then false when 'waitingForPause' then false when 'paused' then false when 'complete' then false when 'errored' then false when 'terminated' then false end, "endRequested" = null, "runNumber" = "runNumber" + 1, "keyNumber" = coalesce("keyNumber", "runNumber"), "startedAt" = null, "completedAt" = null, "output" = null, "errorName" = null, "errorMessage" = null, "errorDetail" = null, "retryCount" = null, "params" = $7, "deadlineAt" = case when $8 = 1 then coalesce((timestamp '1970-01-01' + (cast($9 as bigint)) * interval '1 millisecond'), (date_trunc('milliseconds', now() at time zone 'utc') + (cast($10 as bigint)) * interval '1 millisecond')) else case when "deadlineAt" > date_trunc('milliseconds', now() at time zone 'utc') then "deadlineAt" end end, "tags" = case when $11 = 1 then cast($12 as text) else "tags" end, "memo" = case when $13 = 1 then cast($14 as text) else "memo" end, "controlKey" = coalesce($15, "controlKey"), "updatedAt" = date_trunc('milliseconds', now() at time zone 'utc'), "_version" = "_version" + 1
      where "workflow_instance_workflows"."id" = any (array[(select k."id"
      from "workflow_instance_workflows" as k
      where k."workflowName" = $1 and k."instanceId" >= $2
      order by k."instanceId" limit 1)]) and case when "workflow_instance_workflows"."workflowName" = $1 and "workflow_instance_workflows"."instanceId" = $2 then true else false end and case when coalesce($3, "workflow_instance_workflows"."runNumber") = "workflow_instance_workflows"."runNumber" and coalesce(substr("workflow_instance_workflows"."controlKey" || ' ', 1, length(cast($4 as text)) + 1) <> cast($4 as text) || ' ', true) then true else false end and case when "workflow_instance_workflows"."id" <> $5 and replace(coalesce($6, ',' || "workflow_instance_workflows"."status" || ','), ',' || "workflow_instance_workflows"."status" || ',', '') <> coalesce($6, ',' || "workflow_instance_workflows"."status" || ',') then true else false end and case when "status" in ('queued', 'running', 'waiting', 'waitingForPause', 'paused', 'complete', 'errored', 'terminated') then true else false end
      returning "workflow_instance_workflows"."id" as "id", "workflow_instance_workflows"."workflowName" as "workflowName", "workflow_instance_workflows"."instanceId" as "instanceId", "workflow_instance_workflows"."runNumber" as "runNumber", "workflow_instance_workflows"."status" as "status", "workflow_instance_workflows"."params" as "params", "workflow_instance_workflows"."output" as "output", "workflow_instance_workflows"."errorName" as "errorName", "workflow_instance_workflows"."errorMessage" as "errorMessage", "workflow_instance_workflows"."errorDetail" as "errorDetail", "workflow_instance_workflows"."pauseRequested" as "pauseRequested", "workflow_instance_workflows"."endRequested" as "endRequested", "workflow_instance_workflows"."forkedFrom" as "forkedFrom", "workflow_instance_workflows"."retryCount" as "retryCount", (date_part('epoch', "workflow_instance_workflows"."deadlineAt") * 1000)::bigint as "deadlineAt", "workflow_instance_workflows"."tags" as "tags", "workflow_instance_workflows"."memo" as "memo", (date_part('epoch', "workflow_instance_workflows"."createdAt") * 1000)::bigint as "createdAt", (date_part('epoch', "workflow_instance_workflows"."updatedAt") * 1000)::bigint as "updatedAt", (date_part('epoch', "workflow_instance_workflows"."startedAt") * 1000)::bigint as "startedAt", (date_part('epoch', "workflow_instance_workflows"."completedAt") * 1000)::bigint as "completedAt", "workflow_instance_workflows"."parentWorkflowName" as "parentWorkflowName", "workflow_instance_workflows"."parentInstanceId" as "parentInstanceId", "workflow_instance_workflows"."parentRunNumber" as "parentRunNumber", "workflow_instance_workflows"."parentStepKey" as "parentStepKey", "workflow_instance_workflows"."onParentEnd" as "onParentEnd""
    `);
  });

  test("S6-021 a retry opens steps of the run that failed, and of no other", () => {
    expect(lines(reopenSteps(postgresDialect))).toMatchInlineSnapshot(`
      "with recursive run as materialized (select i."workflowName", i."instanceId", i."runNumber", i."errorName", i."errorMessage", coalesce(i."errorDetail", '') as "detail"
      from "workflow_instance_workflows" as i
      where i."id" = any (array[(select k."id"
      from "workflow_instance_workflows" as k
      where k."workflowName" = $1 and k."instanceId" >= $2
      order by k."instanceId" limit 1)]) and case when i."workflowName" = $1 and i."instanceId" = $2 then true else false end and case when coalesce($3, i."runNumber") = i."runNumber" and coalesce(substr(i."controlKey" || ' ', 1, length(cast($4 as text)) + 1) <> cast($4 as text) || ' ', true) then true else false end and i."status" = 'errored' and case when substr(coalesce(i."errorDetail", ''), 1, 21) <> '{"code":"ROLLED_BACK"' then true else false end), ended as materialized (select s."id", s."stepKey", s."type", s."settledOrder", case when s."status" = 'cancelled' then 'cancelled' when substr(coalesce(s."errorDetail", ''), 1, 26) = '{"code":"STEP_NOT_AWAITED"' then 'closed' when substr(r."detail", 1, 27) = '{"code":"DEADLINE_EXCEEDED"' and substr(coalesce(s."errorDetail", ''), 1, 19) = '{"code":"CANCELLED"' then 'told' else 'failed' end as "end", case when (length(r."detail") - length('"failedStep":' || '"' || replace(replace(replace(replace(replace(s."stepKey", '\\', '\\\\'), '"', '\\"'), '
      ', '\\n'), '
      ', '\\r'), '	', '\\t') || '"' || '}') > 0 and substr(r."detail", length(r."detail") - length('"failedStep":' || '"' || replace(replace(replace(replace(replace(s."stepKey", '\\', '\\\\'), '"', '\\"'), '
      ', '\\n'), '
      ', '\\r'), '	', '\\t') || '"' || '}') + 1) = '"failedStep":' || '"' || replace(replace(replace(replace(replace(s."stepKey", '\\', '\\\\'), '"', '\\"'), '
      ', '\\n'), '
      ', '\\r'), '	', '\\t') || '"' || '}') then 3 when (s."errorName" = r."errorName" and s."errorMessage" = r."errorMessage") or replace(r."detail", '"message":' || '"' || replace(replace(replace(replace(replace(s."errorMessage", '\\', '\\\\'), '"', '\\"'), '
      ', '\\n'), '
      ', '\\r'), '	', '\\t') || '"', '') <> r."detail" then case when replace(r."detail", '"stepKey":' || '"' || replace(replace(replace(replace(replace(s."stepKey", '\\', '\\\\'), '"', '\\"'), '
      ', '\\n'), '
      ', '\\r'), '	', '\\t') || '"', '') <> r."detail" then 2 when s."type" in ('join', 'race', 'map', 'loop') or r."detail" = '' or substr(r."detail", 1, 9) = '{"code":"' then 1 else 0 end else 0 end as "told"
      from run as r cross
      join lateral (select *
      from "workflow_step_workflows" as s
      where s."workflowName" = r."workflowName" and s."instanceId" = r."instanceId" and s."runNumber" = r."runNumber" offset 0) as s
      where s."status" in ('errored', 'cancelled')), place as materialized (select e.*, e."stepKey" as "part", substr(rtrim(e."stepKey", replace(e."stepKey", '/', '')), 1, case when rtrim(e."stepKey", replace(e."stepKey", '/', '')) = '' then 0 else length(rtrim(e."stepKey", replace(e."stepKey", '/', ''))) - 1 end) as "path"
      from ended as e union all select p."id", p."stepKey", p."type", p."settledOrder", p."end", p."told", p."path", substr(rtrim(p."path", replace(p."path", '/', '')), 1, case when rtrim(p."path", replace(p."path", '/', '')) = '' then 0 else length(rtrim(p."path", replace(p."path", '/', ''))) - 1 end)
      from place as p
      where p."path" <> ''), sign as materialized (select p.*, null as "scopeType", 0 as "isDone"
      from place as p union all select null, null, null, null, null, null, null, s."stepKey", s."type", case when s."status" = 'completed' then 1 else 0 end
      from run as r cross
      join lateral (select *
      from "workflow_step_workflows" as s
      where s."workflowName" = r."workflowName" and s."instanceId" = r."instanceId" and s."runNumber" = r."runNumber" offset 0) as s
      where s."type" in ('join', 'race', 'map', 'loop')), marked as materialized (select g.*, max(g."scopeType") over (partition by g."path") as "scope", max(g."isDone") over (partition by g."path") as "isKept"
      from sign as g), scoped as materialized (select m.*, case when m."scope" = 'loop' then m."path" else m."part" end as "branch", row_number() over (partition by m."id"
      order by length(m."path") desc) as "depth", max(m."isKept") over (partition by m."id") as "isInKept"
      from marked as m
      where m."id" is not null and (m."path" = '' or m."scope" is not null)), undoable as materialized (select c."id", c."stepKey", c."type", c."settledOrder", c."end", c."told", c."path" as "scope", case when c."end" = 'cancelled' or c."settledOrder" = max(case when c."end" in ('failed', 'told') then c."settledOrder" end) over (partition by c."path", c."branch") then 1 else 0 end as "isEnd"
      from scoped as c
      where c."depth" = 1 and (c."isInKept" = 0 or (substr(c."stepKey", length(c."stepKey") - 4) = '/undo' and exists (select 1
      from run as r
      where substr(r."detail", 1, 25) = '{"code":"ROLLBACK_FAILED"')))), failure as materialized (select coalesce(min(case when u."end" = 'told' then u."settledOrder" end), min(case when u."told" = 3 then u."settledOrder" end), min(case when u."told" = 2 then u."settledOrder" end), max(case when u."told" = 1 then u."settledOrder" end)) as "from"
      from undoable as u
      where u."end" in ('failed', 'told')), undone as materialized (select u."id", u."stepKey", u."type"
      from undoable as u cross
      join failure as f
      where (u."end" = 'closed' or u."settledOrder" >= coalesce(f."from", u."settledOrder" + 1)) union select u."id", u."stepKey", u."type"
      from undone as d
      join undoable as u on u."scope" = d."stepKey" cross
      join failure as f
      where d."type" in ('join', 'race', 'map', 'loop') and u."isEnd" = 1 and not (u."end" = 'closed' or u."settledOrder" >= coalesce(f."from", u."settledOrder" + 1))) update "workflow_step_workflows"
      set "status" = case when "type" = 'loop' then 'running' when "workflow_step_workflows"."type" in ('join', 'race', 'map', 'loop') or "type" in ('invoke', 'waitForTopic') then 'pending' else 'waiting' end, "attempts" = case when "type" <> 'invoke' then 0 when "status" in ('completed', 'pending') then "attempts" else "attempts" + 1 end, "lostAttempts" = 0, "settledOrder" = null, "startedKeys" = null, "nextRetryAt" = case when "type" = 'do' then date_trunc('milliseconds', now() at time zone 'utc') end, "wakeAt" = case when "type" in ('waitForEvent', 'receive', 'waitForTopic') then (date_trunc('milliseconds', now() at time zone 'utc') + (((date_part('epoch', "wakeAt") * 1000)::bigint - case when "status" = 'errored' and not (substr(coalesce("workflow_step_workflows"."errorDetail", ''), 1, 26) = '{"code":"STEP_NOT_AWAITED"') then (date_part('epoch', "createdAt") * 1000)::bigint else (date_part('epoch', "updatedAt") * 1000)::bigint end)) * interval '1 millisecond') else "wakeAt" end, "result" = case when "type" = 'loop' then "result" end, "errorName" = case when "type" = 'do' and "status" = 'errored' and not (substr(coalesce("workflow_step_workflows"."errorDetail", ''), 1, 26) = '{"code":"STEP_NOT_AWAITED"') then "errorName" end, "errorMessage" = case when "type" = 'do' and "status" = 'errored' and not (substr(coalesce("workflow_step_workflows"."errorDetail", ''), 1, 26) = '{"code":"STEP_NOT_AWAITED"') then "errorMessage" end, "errorDetail" = case when "type" = 'do' and "status" = 'errored' and not (substr(coalesce("workflow_step_workflows"."errorDetail", ''), 1, 26) = '{"code":"STEP_NOT_AWAITED"') then "errorDetail" end, "updatedAt" = date_trunc('milliseconds', now() at time zone 'utc'), "_version" = "_version" + 1
      where "id" = any (array(select d."id"
      from undone as d))"
    `);
  });

  test("the fence locks tasks in one order and reads what is new", () => {
    expect(sideBySide("commitFence")).toMatchInlineSnapshot(`
      "-- postgres
      select t."id" as "taskId", i."pauseRequested", coalesce(i."endRequested", case when i."deadlineAt" <= date_trunc('milliseconds', now() at time zone 'utc') then 'deadline' end) as "endRequested", (date_part('epoch', date_trunc('milliseconds', now() at time zone 'utc')) * 1000)::bigint as "now", p."_internalId", p."id", p."type", p."eventId", p."traceContext", (date_part('epoch', p."createdAt") * 1000)::bigint as "createdAt", p."held", case when p."bytesOfCall" <= 8388608 then 1 else 0 end as "isShown", case when p."bytesOfCall" <= 8388608 then (select x."payload"
      from "workflow_event_workflows" as x
      where x."_internalId" = p."_internalId") end as "payload"
      from json_to_recordset($1::json) as c("taskId" text, "token" text, "instanceRowId" text, "knownSequence" bigint)
      join "workflow_task_workflows" as t on t."id" = any (array[c."taskId"]) and case when t."lockOwner" || '.' || t."claimNumber" = c."token" then true else false end and c."taskId" = c."taskId" || ''
      join "workflow_instance_workflows" as i on i."id" = any (array[c."instanceRowId"]) and case when i."runNumber" = t."runNumber" then true else false end
      left
      join (select s.*, sum(s."size") over (order by s."rank", s."_internalId") as "bytesOfCall"
      from (select h.*
      from (select t."id" || '' as "runId", e."_internalId", e."id", e."type", e."eventId", e."traceContext", e."createdAt", coalesce(e."sizeBytes", 0) as "size", row_number() over (partition by t."id" || ''
      order by e."_internalId") as "rank", count(*) over (partition by t."id" || '') as "held", sum(coalesce(e."sizeBytes", 0)) over (partition by t."id" || ''
      order by e."_internalId") as "bytes"
      from json_to_recordset($1::json) as c("taskId" text, "token" text, "instanceRowId" text, "knownSequence" bigint)
      join "workflow_task_workflows" as t on t."id" = any (array[c."taskId"]) and case when t."lockOwner" || '.' || t."claimNumber" = c."token" then true else false end and c."taskId" = c."taskId" || '' cross
      join lateral (select *
      from "workflow_event_workflows" as e
      where e."workflowName" = t."workflowName" and e."instanceId" = t."instanceId" and e."runNumber" = t."runNumber" and e."deliveredAt" is null and e."_internalId" > c."knownSequence" offset 0) as e) as h
      where h."rank" = 1 or (h."rank" <= 100 and h."bytes" <= 262144)) as s) as p on p."runId" = any (array[t."id"]) and (p."rank" = 1 or p."bytesOfCall" <= 8388608)
      order by c."taskId", p."_internalId" for update of t
      -- sqlite
      select t."id" as "taskId", i."pauseRequested", coalesce(i."endRequested", case when i."deadlineAt" <= cast(unixepoch('subsec') * 1000 + 0.5 as integer) then 'deadline' end) as "endRequested", cast(unixepoch('subsec') * 1000 + 0.5 as integer) as "now", p."_internalId", p."id", p."type", p."eventId", p."traceContext", p."createdAt" as "createdAt", p."held", case when p."bytesOfCall" <= 8388608 then 1 else 0 end as "isShown", case when p."bytesOfCall" <= 8388608 then (select x."payload"
      from "workflow_event_workflows" as x
      where x."_internalId" = p."_internalId") end as "payload"
      from (select value->>'taskId' as "taskId", value->>'token' as "token", value->>'instanceRowId' as "instanceRowId", value->>'knownSequence' as "knownSequence"
      from (select value
      from json_each(?1) limit -1)) as c
      join "workflow_task_workflows" as t on t."id" = c."taskId" and case when t."lockOwner" || '.' || t."claimNumber" = c."token" then true else false end and c."taskId" = c."taskId" || ''
      join "workflow_instance_workflows" as i on i."id" = c."instanceRowId" and case when i."runNumber" = t."runNumber" then true else false end
      left
      join (select s.*, sum(s."size") over (order by s."rank", s."_internalId") as "bytesOfCall"
      from (select h.*
      from (select t."id" || '' as "runId", e."_internalId", e."id", e."type", e."eventId", e."traceContext", e."createdAt", coalesce(e."sizeBytes", 0) as "size", row_number() over (partition by t."id" || ''
      order by e."_internalId") as "rank", count(*) over (partition by t."id" || '') as "held", sum(coalesce(e."sizeBytes", 0)) over (partition by t."id" || ''
      order by e."_internalId") as "bytes"
      from (select value->>'taskId' as "taskId", value->>'token' as "token", value->>'instanceRowId' as "instanceRowId", value->>'knownSequence' as "knownSequence"
      from (select value
      from json_each(?1) limit -1)) as c
      join "workflow_task_workflows" as t on t."id" = c."taskId" and case when t."lockOwner" || '.' || t."claimNumber" = c."token" then true else false end and c."taskId" = c."taskId" || '' cross
      join "workflow_event_workflows" as e on e."workflowName" = t."workflowName" and e."instanceId" = t."instanceId" and e."runNumber" = t."runNumber" and e."deliveredAt" is null and e."_internalId" > c."knownSequence") as h
      where h."rank" = 1 or (h."rank" <= 100 and h."bytes" <= 262144)) as s) as p on p."runId" = t."id" and (p."rank" = 1 or p."bytesOfCall" <= 8388608)
      order by c."taskId", p."_internalId" "
    `);
  });

  test("leases are kept only where they hold", () => {
    expect(sideBySide("commitLeases")).toMatchInlineSnapshot(`
      "-- postgres
      update "workflow_task_workflows" as t
      set "attempts" = coalesce(l."leaseCount", t."attempts"), "lockedUntil" = coalesce(case when coalesce(l."leaseCount", t."attempts") < 4 then (date_trunc('milliseconds', now() at time zone 'utc') + (l."renewMs") * interval '1 millisecond') else greatest((date_trunc('milliseconds', now() at time zone 'utc') + (l."renewMs") * interval '1 millisecond'), t."lockedUntil") end, t."lockedUntil"), "updatedAt" = date_trunc('milliseconds', now() at time zone 'utc'), "_version" = t."_version" + 1
      from (select c."taskId", c."instanceRowId", c."leaseCount", c."renewMs", t."workflowName" as "leaseWorkflowName", t."instanceId" as "leaseInstanceId", t."runNumber" as "leaseRunNumber"
      from json_to_recordset($1::json) as c("taskId" text, "token" text, "instanceRowId" text, "leaseCount" bigint, "renewMs" bigint)
      join "workflow_task_workflows" as t on t."id" = any (array[c."taskId"]) and case when t."lockOwner" || '.' || t."claimNumber" = c."token" then true else false end and c."taskId" = c."taskId" || '') as l
      where t."id" = any (array[l."taskId"])
      -- sqlite
      update "workflow_task_workflows" as t
      set "attempts" = coalesce(l."leaseCount", t."attempts"), "lockedUntil" = coalesce(case when coalesce(l."leaseCount", t."attempts") < 4 then (cast(unixepoch('subsec') * 1000 + 0.5 as integer) + l."renewMs") else coalesce(max((cast(unixepoch('subsec') * 1000 + 0.5 as integer) + l."renewMs"), t."lockedUntil"), (cast(unixepoch('subsec') * 1000 + 0.5 as integer) + l."renewMs"), t."lockedUntil") end, t."lockedUntil"), "updatedAt" = cast(unixepoch('subsec') * 1000 + 0.5 as integer), "_version" = t."_version" + 1
      from (select c."taskId", c."instanceRowId", c."leaseCount", c."renewMs", t."workflowName" as "leaseWorkflowName", t."instanceId" as "leaseInstanceId", t."runNumber" as "leaseRunNumber"
      from (select value->>'taskId' as "taskId", value->>'token' as "token", value->>'instanceRowId' as "instanceRowId", value->>'leaseCount' as "leaseCount", value->>'renewMs' as "renewMs"
      from (select value
      from json_each(?1) limit -1)) as c
      join "workflow_task_workflows" as t on t."id" = c."taskId" and case when t."lockOwner" || '.' || t."claimNumber" = c."token" then true else false end and c."taskId" = c."taskId" || '') as l
      where t."id" = l."taskId""
    `);
  });

  test("tasks of ended runs are deleted only where the lease holds", () => {
    expect(sideBySide("commitPaused")).toMatchInlineSnapshot(`
      "-- postgres
      delete
      from "workflow_task_workflows"
      where "id" = any (array(select l."taskId"
      from (select c."taskId", c."instanceRowId", t."workflowName" as "leaseWorkflowName", t."instanceId" as "leaseInstanceId", t."runNumber" as "leaseRunNumber"
      from json_to_recordset($1::json) as c("taskId" text, "token" text, "instanceRowId" text)
      join "workflow_task_workflows" as t on t."id" = any (array[c."taskId"]) and case when t."lockOwner" || '.' || t."claimNumber" = c."token" then true else false end and c."taskId" = c."taskId" || '') as l
      join "workflow_instance_workflows" as i on i."id" = any (array[l."instanceRowId"]) and case when i."runNumber" = l."leaseRunNumber" then true else false end
      where case when i."status" = 'paused' then true else false end))
      -- sqlite
      delete
      from "workflow_task_workflows"
      where "id" in (select l."taskId"
      from (select c."taskId", c."instanceRowId", t."workflowName" as "leaseWorkflowName", t."instanceId" as "leaseInstanceId", t."runNumber" as "leaseRunNumber"
      from (select value->>'taskId' as "taskId", value->>'token' as "token", value->>'instanceRowId' as "instanceRowId"
      from (select value
      from json_each(?1) limit -1)) as c
      join "workflow_task_workflows" as t on t."id" = c."taskId" and case when t."lockOwner" || '.' || t."claimNumber" = c."token" then true else false end and c."taskId" = c."taskId" || '') as l
      join "workflow_instance_workflows" as i on i."id" = l."instanceRowId" and case when i."runNumber" = l."leaseRunNumber" then true else false end
      where case when i."status" = 'paused' then true else false end)"
    `);
  });

  test("a wake needs a waiting instance and an open wait", () => {
    expect(sideBySide("wakeTask")).toMatchInlineSnapshot(`
      "-- postgres
      update "workflow_task_workflows" as t
      set "kind" = 'wake', "priority" = 0, "runAt" = least(t."runAt", date_trunc('milliseconds', clock_timestamp() at time zone 'utc')), "updatedAt" = date_trunc('milliseconds', clock_timestamp() at time zone 'utc'), "_version" = t."_version" + 1
      where t."id" = any (array(select k."id"
      from "workflow_task_workflows" as k
      where (k."workflowName", k."instanceId") >= ($1, $2)
      order by k."workflowName", k."instanceId", k."runNumber" limit 1)) and case when t."workflowName" = $1 and t."instanceId" = $2 then true else false end and case when t."status" = 'pending' then true else false end and case when exists (select 1
      from "workflow_event_workflows" as e
      where e."id" = $4 and e."workflowName" = t."workflowName" and e."instanceId" = t."instanceId" and e."runNumber" = t."runNumber" and e."deliveredAt" is null) then true else false end and case when exists (select 1
      from "workflow_instance_workflows" as i
      where i."id" = any (array[(select k."id"
      from "workflow_instance_workflows" as k
      where k."workflowName" = t."workflowName" and k."instanceId" >= t."instanceId"
      order by k."instanceId" limit 1)]) and case when i."workflowName" = t."workflowName" and i."instanceId" = t."instanceId" then true else false end and i."runNumber" = t."runNumber" and case when i."status" = 'waiting' then true else false end) then true else false end and case when exists (select 1
      from "workflow_step_workflows" as s
      where s."workflowName" = t."workflowName" and s."instanceId" = t."instanceId" and s."runNumber" = t."runNumber" and s."status" = 'waiting' and s."waitEventType" is not null and case when s."waitEventType" = $3 or replace(',' || s."waitEventType" || ',', ',' || $3 || ',', '') <> ',' || s."waitEventType" || ',' then true else false end and (s."wakeAt" is null or s."wakeAt" > date_trunc('milliseconds', clock_timestamp() at time zone 'utc'))) then true else false end
      returning "id", "workflowName", "instanceId", "runNumber", "attempts", "claimNumber", "priority", (date_part('epoch', "runAt") * 1000)::bigint as "runAtMs"
      -- sqlite
      update "workflow_task_workflows" as t
      set "kind" = 'wake', "priority" = 0, "runAt" = coalesce(min(t."runAt", cast(unixepoch('subsec') * 1000 + 0.5 as integer)), t."runAt", cast(unixepoch('subsec') * 1000 + 0.5 as integer)), "updatedAt" = cast(unixepoch('subsec') * 1000 + 0.5 as integer), "_version" = t."_version" + 1
      where t."workflowName" = ?1 and t."instanceId" = ?2 and case when t."status" = 'pending' then true else false end and case when exists (select 1
      from "workflow_event_workflows" as e
      where e."id" = ?4 and e."workflowName" = t."workflowName" and e."instanceId" = t."instanceId" and e."runNumber" = t."runNumber" and e."deliveredAt" is null) then true else false end and case when exists (select 1
      from "workflow_instance_workflows" as i
      where i."_internalId" = (select k."_internalId"
      from "workflow_instance_workflows" as k indexed by "unique_instance_workflow_instance_workflows"
      where k."workflowName" = t."workflowName" and k."instanceId" = t."instanceId") and i."runNumber" = t."runNumber" and case when i."status" = 'waiting' then true else false end) then true else false end and case when exists (select 1
      from "workflow_step_workflows" as s
      where s."workflowName" = t."workflowName" and s."instanceId" = t."instanceId" and s."runNumber" = t."runNumber" and s."status" = 'waiting' and s."waitEventType" is not null and case when s."waitEventType" = ?3 or replace(',' || s."waitEventType" || ',', ',' || ?3 || ',', '') <> ',' || s."waitEventType" || ',' then true else false end and (s."wakeAt" is null or s."wakeAt" > cast(unixepoch('subsec') * 1000 + 0.5 as integer))) then true else false end
      returning "id", "workflowName", "instanceId", "runNumber", "attempts", "claimNumber", "priority", "runAt" as "runAtMs""
    `);
  });

  test("a later page begins at an instant that the index can find", () => {
    const later = { byStatus: true, isLaterPage: true };
    expect(textSideBySide((dialect) => listInstances(dialect, later))).toMatchInlineSnapshot(`
      "-- postgres
      select p."id" as "id", p."workflowName" as "workflowName", p."instanceId" as "instanceId", p."runNumber" as "runNumber", p."status" as "status", p."errorName" as "errorName", p."errorMessage" as "errorMessage", p."errorDetail" as "errorDetail", p."pauseRequested" as "pauseRequested", p."endRequested" as "endRequested", p."forkedFrom" as "forkedFrom", p."retryCount" as "retryCount", (date_part('epoch', p."deadlineAt") * 1000)::bigint as "deadlineAt", p."tags" as "tags", p."memo" as "memo", (date_part('epoch', p."createdAt") * 1000)::bigint as "createdAt", (date_part('epoch', p."updatedAt") * 1000)::bigint as "updatedAt", (date_part('epoch', p."startedAt") * 1000)::bigint as "startedAt", (date_part('epoch', p."completedAt") * 1000)::bigint as "completedAt", p."parentWorkflowName" as "parentWorkflowName", p."parentInstanceId" as "parentInstanceId", p."parentRunNumber" as "parentRunNumber", p."parentStepKey" as "parentStepKey", p."onParentEnd" as "onParentEnd", p."found", case when p."payloadBytes" <= cast($3 as bigint) then (select x."output"
      from "workflow_instance_workflows" as x
      where x."id" = p."id") end as "output", case when p."payloadBytes" > cast($3 as bigint) then p."payloadBytes" end as "omittedBytes"
      from (select s.*, count(*) over () as "found", sum(s."size") over (order by s."status" desc, s."createdAt" desc, s."id" desc) as "upTo"
      from (select h.*, h."otherBytes" + case when h."payloadBytes" <= cast($3 as bigint) then h."payloadBytes" else 0 end as "size"
      from (select r."id", r."workflowName", r."instanceId", r."runNumber", r."status", r."errorName", r."errorMessage", r."errorDetail", r."pauseRequested", r."endRequested", r."forkedFrom", r."retryCount", r."deadlineAt", r."tags", r."memo", r."createdAt", r."updatedAt", r."startedAt", r."completedAt", r."parentWorkflowName", r."parentInstanceId", r."parentRunNumber", r."parentStepKey", r."onParentEnd", octet_length(r."output") as "payloadBytes", 512 + coalesce(octet_length(r."errorMessage"), 0) + coalesce(octet_length(r."errorDetail"), 0) + coalesce(octet_length(r."tags"), 0) + coalesce(octet_length(r."memo"), 0) as "otherBytes"
      from "workflow_instance_workflows" as r
      where r."workflowName" = $1 and r."status" >= $4 and (r."status", r."createdAt") <= ($4, (timestamp '1970-01-01' + ($5) * interval '1 millisecond')) and r."createdAt" <= (timestamp '1970-01-01' + ($5) * interval '1 millisecond') and (r."createdAt" <> (timestamp '1970-01-01' + ($5) * interval '1 millisecond') or r."id" < $6)
      order by r."status" desc, r."createdAt" desc, r."id" desc limit $2) as h) as s) as p
      where p."upTo" <= 1000000 or p."upTo" = p."size"
      order by p."status" desc, p."createdAt" desc, p."id" desc
      -- sqlite
      select p."id" as "id", p."workflowName" as "workflowName", p."instanceId" as "instanceId", p."runNumber" as "runNumber", p."status" as "status", p."errorName" as "errorName", p."errorMessage" as "errorMessage", p."errorDetail" as "errorDetail", p."pauseRequested" as "pauseRequested", p."endRequested" as "endRequested", p."forkedFrom" as "forkedFrom", p."retryCount" as "retryCount", p."deadlineAt" as "deadlineAt", p."tags" as "tags", p."memo" as "memo", p."createdAt" as "createdAt", p."updatedAt" as "updatedAt", p."startedAt" as "startedAt", p."completedAt" as "completedAt", p."parentWorkflowName" as "parentWorkflowName", p."parentInstanceId" as "parentInstanceId", p."parentRunNumber" as "parentRunNumber", p."parentStepKey" as "parentStepKey", p."onParentEnd" as "onParentEnd", p."found", case when p."payloadBytes" <= cast(?3 as bigint) then (select x."output"
      from "workflow_instance_workflows" as x
      where x."id" = p."id") end as "output", case when p."payloadBytes" > cast(?3 as bigint) then p."payloadBytes" end as "omittedBytes"
      from (select s.*, count(*) over () as "found", sum(s."size") over (order by s."createdAt" desc, s."id" desc) as "upTo"
      from (select h.*, h."otherBytes" + case when h."payloadBytes" <= cast(?3 as bigint) then h."payloadBytes" else 0 end as "size"
      from (select r."id", r."workflowName", r."instanceId", r."runNumber", r."status", r."errorName", r."errorMessage", r."errorDetail", r."pauseRequested", r."endRequested", r."forkedFrom", r."retryCount", r."deadlineAt", r."tags", r."memo", r."createdAt", r."updatedAt", r."startedAt", r."completedAt", r."parentWorkflowName", r."parentInstanceId", r."parentRunNumber", r."parentStepKey", r."onParentEnd", length(cast(r."output" as blob)) as "payloadBytes", 512 + coalesce(length(cast(r."errorMessage" as blob)), 0) + coalesce(length(cast(r."errorDetail" as blob)), 0) + coalesce(length(cast(r."tags" as blob)), 0) + coalesce(length(cast(r."memo" as blob)), 0) as "otherBytes"
      from "workflow_instance_workflows" as r
      where r."workflowName" = ?1 and r."createdAt" >= 0 and likelihood(r."status" = ?4, 0.0001) and r."createdAt" <= (?5) and (r."createdAt" <> (?5) or r."id" < ?6)
      order by r."createdAt" desc, r."id" desc limit ?2) as h) as s) as p
      where p."upTo" <= 1000000 or p."upTo" = p."size"
      order by p."createdAt" desc, p."id" desc"
    `);
  });
});
