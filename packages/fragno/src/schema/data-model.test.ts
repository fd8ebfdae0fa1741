/** The database that migrations give: what the founding spec asks for, and the same by Fragno's own migration. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPostgresDatabase } from "@escapement-internal/test-servers";
import type { Database, Row } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import { defineFragment, instantiate } from "@fragno-dev/core";
import { migrate as migrateWithFragno, withDatabase } from "@fragno-dev/db";
import { GenericSQLAdapter, type GenericSQLOptions } from "@fragno-dev/db/adapters/generic-sql";
import { PostgresDialect, SqliteDialect } from "@fragno-dev/db/dialects";
import { BetterSQLite3DriverConfig, NodePostgresDriverConfig } from "@fragno-dev/db/drivers";
import Libsql from "libsql";
import { Pool } from "pg";
import { INSTANCE_STATUSES, SCHEMA_VERSION } from "@escapement/engine/internal";
import { migrate } from "@escapement/engine/store/sql";
import { installRuntimeShims } from "../adapter/runtime-shims.ts";
import { SUPPLEMENTS } from "./supplements.ts";
import { NAMESPACE, workflowsSchema } from "./workflows-schema.ts";

installRuntimeShims();

type Query = (sql: string) => Promise<readonly Row[]>;

/** An empty database, seen through the Batch port, by Fragno, and by plain queries. */
interface TestDatabase {
  readonly database: Database;
  readonly fragno: GenericSQLOptions;
  readonly query: Query;
  /** Runs many statements, separated by semicolons. */
  execute(script: string): Promise<unknown>;
  drop(): Promise<void>;
}

async function openPostgres(): Promise<TestDatabase> {
  const created = await createPostgresDatabase();
  const pool = new Pool({ connectionString: created.url, max: 1 });
  pool.on("connect", (client) => client.on("error", () => undefined));
  const query: Query = async (sql) => (await pool.query<Row>(sql)).rows;
  return {
    database: createPgDatabase({ pool }),
    fragno: {
      dialect: new PostgresDialect({ pool }),
      driverConfig: new NodePostgresDriverConfig(),
    },
    query,
    execute: (script) => pool.query(script),
    drop: async () => {
      await pool.end();
      await created.drop();
    },
  };
}

function openSqlite(): Promise<TestDatabase> {
  const connection = new Libsql(":memory:");
  const read = (sql: string): readonly Row[] => {
    const statement = connection.prepare(sql);
    if (statement.reader) return statement.all() as Row[];
    statement.run();
    return [];
  };
  const query: Query = (sql) => Promise.resolve(sql).then(read);
  return Promise.resolve({
    database: createSqliteDatabase(connection),
    fragno: {
      dialect: new SqliteDialect({ database: connection }),
      driverConfig: new BetterSQLite3DriverConfig(),
    },
    query,
    execute: (script) => Promise.resolve(connection.exec(script)),
    drop: () => Promise.resolve(void connection.close()),
  });
}

async function migrateByFragno(options: GenericSQLOptions): Promise<void> {
  const definition = defineFragment("workflows").extend(withDatabase(workflowsSchema, NAMESPACE));
  const fragment = instantiate(definition.build())
    .withConfig({})
    .withRoutes([])
    .withOptions({ databaseAdapter: new GenericSQLAdapter(options) })
    .build();
  await migrateWithFragno(fragment);
}

/** Tables, columns and indexes in words that are the same on both databases. */
interface Shape {
  /** By table: "name type" and " null" where allowed, in order. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** By index: "table (columns)", with "unique" and "where …". */
  readonly indexes: Readonly<Record<string, string>>;
}

const POSTGRES_COLUMNS = `
  select table_name as "table", column_name || ' ' || data_type
      || coalesce('(' || character_maximum_length || ')', '')
      || case is_nullable when 'YES' then ' null' else '' end
      || coalesce(' default ' || column_default, '') as "item"
  from information_schema.columns where table_schema = current_schema()
  order by table_name, ordinal_position`;

const POSTGRES_INDEXES = `
  select i.relname as "name", case when x.indisunique then 'unique ' else '' end || t.relname || ' ('
      || array_to_string(array(select a.attname from unnest(x.indkey) with ordinality as k(number, place)
           join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.number order by place), ', ')
      || ')' || coalesce(' where ' || pg_get_expr(x.indpred, x.indrelid), '') as "item"
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
  where i.relnamespace = current_schema()::regnamespace order by i.relname`;

const SQLITE_COLUMNS = `
  select t.name as "table", c.name || ' ' || c.type || case c."notnull" when 0 then ' null' else '' end
      || coalesce(' default ' || c.dflt_value, '') as "item"
  from sqlite_master t join pragma_table_info(t.name) c
  where t.type = 'table' and t.name not like 'sqlite_%' order by t.name, c.cid`;

const SQLITE_INDEXES = `
  select x.name as "name", case x."unique" when 1 then 'unique ' else '' end || t.name || ' ('
      || (select group_concat(name, ', ') from (select name from pragma_index_info(x.name) order by seqno))
      || ')' || case x.partial when 1 then
        (select substr(sql, instr(sql, ' where ')) from sqlite_master where name = x.name) else '' end as "item"
  from sqlite_master t join pragma_index_list(t.name) x where t.type = 'table' order by x.name`;

async function loadShape(opened: TestDatabase): Promise<Shape> {
  const isPostgres = opened.database.dialect.name === "postgres";
  const columns: Record<string, string[]> = {};
  for (const row of await opened.query(isPostgres ? POSTGRES_COLUMNS : SQLITE_COLUMNS)) {
    (columns[String(row["table"])] ??= []).push(String(row["item"]));
  }
  const indexes = await opened.query(isPostgres ? POSTGRES_INDEXES : SQLITE_INDEXES);
  return {
    columns,
    indexes: Object.fromEntries(indexes.map((row) => [String(row["name"]), String(row["item"])])),
  };
}

// Which set of indexes a database has is recorded by us alone.
const SETTINGS = `select "id", "key", "value" from "fragno_db_settings" where "key" like '%version' order by "key"`;

const supplementNames = new Set(
  Object.values(SUPPLEMENTS).flatMap(({ indexes, lists, retired }) =>
    indexes
      .concat(lists)
      .map(({ name }) => name)
      .concat(retired),
  ),
);
const withoutSupplements = (shape: Shape): Shape => ({
  columns: Object.fromEntries(
    Object.entries(shape.columns).map(([table, columns]) => [
      table,
      columns.map((column) => column.replace(/^timeoutMs bigint/u, "timeoutMs integer")),
    ]),
  ),
  indexes: Object.fromEntries(
    Object.entries(shape.indexes).filter(([name]) => !supplementNames.has(name)),
  ),
});

describe.each([
  ["Postgres", openPostgres],
  ["embedded libSQL", openSqlite],
] as const)("%s", (_name, open) => {
  let ours: TestDatabase;
  let theirs: TestDatabase;
  let shape: Shape;

  beforeAll(async () => {
    [ours, theirs] = [await open(), await open()];
    await migrate(ours.database);
    await migrateByFragno(theirs.fragno);
    shape = await loadShape(ours);
  });
  afterAll(async () => {
    await ours.drop();
    await theirs.drop();
  });

  /** Names of a table's columns, without the two that Fragno adds. */
  const columnsOf = (table: string): readonly string[] =>
    (shape.columns[`${table}_workflows`] ?? [])
      .map((column) => `${column.split(" ")[0]}${column.includes(" null") ? "?" : ""}`)
      .filter((column) => !column.startsWith("_"));

  /** Indexes of a table, as "unique (a, b)". */
  const indexesOf = (table: string): readonly string[] =>
    Object.values(shape.indexes)
      .filter((index) => index.replace("unique ", "").startsWith(`${table}_workflows (`))
      .map((index) => index.replace(`${table}_workflows `, ""));

  test("our migration and Fragno's give the same tables, columns, indexes and versions", async () => {
    expect(withoutSupplements(shape)).toEqual(withoutSupplements(await loadShape(theirs)));
    expect(await ours.query(SETTINGS)).toEqual(await theirs.query(SETTINGS));
  });

  test("our migration after Fragno's adds the supplements and nothing else", async () => {
    const fresh = await open();
    await migrateByFragno(fresh.fragno);
    const result = await migrate(fresh.database);
    const unchanged = { fromVersion: SCHEMA_VERSION, toVersion: SCHEMA_VERSION };
    expect(result).toEqual({ ...unchanged, indexes: "full" });
    expect(await loadShape(fresh)).toEqual(shape);
    expect(await fresh.query(SETTINGS)).toEqual(await ours.query(SETTINGS));
    await fresh.drop();
  });

  test("Fragno's migration after ours changes nothing", async () => {
    const fresh = await open();
    await migrate(fresh.database);
    await migrateByFragno(fresh.fragno);
    expect(await loadShape(fresh)).toEqual(shape);
    expect(await fresh.query(SETTINGS)).toEqual(await ours.query(SETTINGS));
    await fresh.drop();
  });

  test("the committed dump run by hand gives the same database", async () => {
    const fresh = await open();
    const file = new URL(
      `../../../engine/src/stores/sql/migrations/schema.${fresh.database.dialect.name}.sql`,
      import.meta.url,
    );
    const dump = readFileSync(file, "utf8");
    await fresh.execute(dump);
    expect(await loadShape(fresh)).toEqual(shape);
    expect(await fresh.query(SETTINGS)).toEqual(await ours.query(SETTINGS));
    expect(await migrate(fresh.database)).toMatchObject({ fromVersion: SCHEMA_VERSION });
    await fresh.drop();
  });

  test("S0-061 S0-068 instances, steps, events and tasks are tables of the namespace, beside those of topics and progress, and nothing else is", () => {
    expect(Object.keys(shape.columns).filter((name) => !name.startsWith("fragno_"))).toEqual([
      "workflow_event_workflows",
      "workflow_instance_workflows",
      "workflow_message_workflows",
      "workflow_progress_workflows",
      "workflow_step_workflows",
      "workflow_task_workflows",
      "workflow_topic_wait_workflows",
      "workflow_topic_workflows",
    ]);
  });

  test("S0-069 S4-024 S4-031 workflow_instance has the columns of the spec, null only where it says so", () => {
    expect(columnsOf("workflow_instance")).toEqual(
      (
        "id instanceId workflowName status createdAt updatedAt startedAt? completedAt? params? output? " +
        "errorName? errorMessage? pauseRequested retentionUntil? runNumber errorDetail? endedBy? controlKey? " +
        "endRequested? parentWorkflowName? parentInstanceId? parentRunNumber? parentStepKey? onParentEnd? keyNumber? forkedFrom? " +
        "deadlineAt? tags? memo? retryCount? traceContext?"
      ).split(" "),
    );
  });

  test("S0-072 S0-073 instances are unique per workflow and listed by status or age through an index", () => {
    const indexes = indexesOf("workflow_instance");
    expect(indexes).toEqual(
      expect.arrayContaining([
        "unique (workflowName, instanceId)",
        // In place of (workflowName, status, updatedAt): a list in the order of a column that moves loses rows.
        "(workflowName, status, createdAt)",
        "(workflowName, createdAt)",
      ]),
    );
    expect(indexes).not.toContain("(workflowName, status, updatedAt)");
  });

  test("S0-075 S4-024 S4-031 workflow_step has the columns of the spec and ours for lost attempts and settling order", () => {
    expect(columnsOf("workflow_step")).toEqual(
      (
        "id workflowName instanceId runNumber stepKey name type status attempts lostAttempts maxAttempts " +
        "timeoutMs? nextRetryAt? wakeAt? waitEventType? result? errorName? errorMessage? settledOrder? " +
        "createdAt updatedAt errorDetail? startedKeys? attemptStartedAt? runner? failedAttempts?"
      ).split(" "),
    );
  });

  test("S0-076 S0-077 S0-078 S4-025 S4-026 steps are unique by key, history and open waits are read through an index", () => {
    const where = shape.indexes["idx_waiting_wakeAt_workflow_step_workflows"]?.split(" where ")[1];
    expect(where).toContain("'waiting'");
    expect(indexesOf("workflow_step")).toEqual(
      expect.arrayContaining([
        "unique (workflowName, instanceId, runNumber, stepKey)",
        "(workflowName, instanceId, runNumber, createdAt)",
        `(workflowName, instanceId, runNumber, status, wakeAt) where ${where}`,
      ]),
    );
  });

  test("S0-079 workflow_event has the columns of the spec", () => {
    expect(columnsOf("workflow_event")).toEqual(
      (
        "id workflowName instanceId runNumber type payload? createdAt deliveredAt? consumedByStepKey? eventId? sizeBytes? " +
        "reply? traceContext?"
      ).split(" "),
    );
  });

  test("S0-080 undelivered events and the history of events are read through an index", () => {
    const undelivered = shape.indexes["idx_undelivered_workflow_event_workflows"] ?? "";
    expect(undelivered).toMatch(
      /\(workflowName, instanceId, runNumber, _internalId\) where .*"deliveredAt" is null/iu,
    );
    expect(indexesOf("workflow_event")).toContain(
      "(workflowName, instanceId, runNumber, createdAt)",
    );
  });

  test("S0-081 S4-024 workflow_task has the columns of the spec and a priority", () => {
    expect(columnsOf("workflow_task")).toEqual(
      (
        "id workflowName instanceId runNumber kind priority runAt status attempts maxAttempts lastError? " +
        "lockedUntil? lockOwner? createdAt updatedAt historyBytes? claimNumber?"
      ).split(" "),
    );
  });

  test("S0-082 S0-083 S4-026 due tasks, ended leases and held leases are found through an index", () => {
    expect(indexesOf("workflow_task")).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\(workflowName, status, priority, runAt, instanceId\)/u),
        expect.stringMatching(/^\(workflowName, status, lockedUntil, instanceId\)/u),
        "unique (workflowName, instanceId, runNumber)",
        expect.stringMatching(/^\(lockOwner\) where .*is not null/iu),
      ]),
    );
  });

  test("S4-031 what is JSON is text, on SQLite as on Postgres", () => {
    const json = ["params", "output", "errorDetail", "result", "startedKeys", "payload"];
    const types = Object.entries(shape.columns)
      .filter(([table]) => table.startsWith("workflow_"))
      .flatMap(([, columns]) => columns.map((column) => column.toLowerCase().split(" ")))
      .filter(([name]) => json.some((column) => column.toLowerCase() === name))
      .map(([, ...type]) => type.join(" "));
    expect(types).toEqual(Array.from({ length: 7 }, () => "text null"));
  });

  const now = (): string => ours.database.dialect.fromMs(ours.database.dialect.nowMs);
  const insertInstance = (id: string, instanceId: string, status: string): Promise<unknown> =>
    ours.query(
      `insert into "workflow_instance_workflows" ("id", "instanceId", "workflowName", "status", "createdAt", ` +
        `"updatedAt", "pauseRequested", "runNumber") values ('${id}', '${instanceId}', 'order', '${status}', ` +
        `${now()}, ${now()}, false, 1)`,
    );
  const insertTask = (id: string, kind: string, runNumber: number): Promise<unknown> =>
    ours.query(
      `insert into "workflow_task_workflows" ("id", "workflowName", "instanceId", "runNumber", "kind", ` +
        `"priority", "runAt", "status", "attempts", "maxAttempts", "createdAt", "updatedAt") values ` +
        `('${id}', 'order', 'one', ${runNumber}, '${kind}', 0, ${now()}, 'pending', 0, 1, ${now()}, ${now()})`,
    );
  const insertStep = (
    id: string,
    runNumber: number,
    type: string,
    status: string,
  ): Promise<unknown> =>
    ours.query(
      `insert into "workflow_step_workflows" ("id", "workflowName", "instanceId", "runNumber", "stepKey", ` +
        `"name", "type", "status", "attempts", "lostAttempts", "maxAttempts", "createdAt", "updatedAt") values ` +
        `('${id}', 'order', 'one', ${runNumber}, '${type}-${status}', '${"n".repeat(256)}', '${type}', ` +
        `'${status}', 0, 0, 1, ${now()}, ${now()})`,
    );

  test("S0-070 an instance is kept for ever unless somebody says otherwise", async () => {
    await insertInstance("i-retention", "retention", "complete");
    const rows = await ours.query(
      `select "retentionUntil" from "workflow_instance_workflows" where "id" = 'i-retention'`,
    );
    expect(rows).toEqual([{ retentionUntil: null }]);
  });

  test("S0-069 every status can be stored, and an instance id is taken once per workflow", async () => {
    for (const status of INSTANCE_STATUSES) await insertInstance(`i-${status}`, status, status);
    await expect(insertInstance("i-second", "queued", "queued")).rejects.toThrow(/unique/iu);
  });

  test("S0-076 a restarted instance's steps stand beside those of the run before", async () => {
    await insertStep("s-1", 1, "do", "completed");
    await insertStep("s-2", 2, "do", "completed");
    await expect(insertStep("s-3", 2, "do", "completed")).rejects.toThrow(/unique/iu);
  });

  test("S0-074 do, sleep and waitForEvent share one table and every status", async () => {
    for (const type of ["do", "sleep", "waitForEvent"]) {
      for (const status of ["pending", "running", "waiting", "completed", "errored"]) {
        await insertStep(`${type}-${status}`, 7, type, status);
      }
    }
    const rows = await ours.query(
      `select "id" from "workflow_step_workflows" where "runNumber" = 7`,
    );
    expect(rows).toHaveLength(15);
  });

  test("S0-081 S0-083 S0-084 a run has one task of any kind, gc included, and a second is refused", async () => {
    for (const [index, kind] of ["run", "resume", "retry", "wake", "gc"].entries()) {
      await insertTask(`t-${kind}`, kind, index);
    }
    await expect(insertTask("t-second", "wake", 0)).rejects.toThrow(/unique/iu);
  });

  test("deleting a finished task leaves its instance and steps", async () => {
    await insertInstance("i-one", "one", "complete");
    await insertTask("t-done", "run", 90);
    await insertStep("s-done", 90, "do", "completed");
    await ours.query(`delete from "workflow_task_workflows" where "id" = 't-done'`);
    expect(
      await ours.query(`select 1 from "workflow_step_workflows" where "id" = 's-done'`),
    ).toHaveLength(1);
    expect(
      await ours.query(`select 1 from "workflow_instance_workflows" where "id" = 'i-one'`),
    ).toHaveLength(1);
  });
});

test("an id longer than 30 characters is refused by Postgres", async () => {
  const opened = await openPostgres();
  await migrate(opened.database);
  const ids = await opened.query(
    `select character_maximum_length as "length" from information_schema.columns where column_name = 'id'`,
  );
  expect(ids.map((row) => row["length"])).toEqual(Array.from({ length: 10 }, () => 30));
  await opened.drop();
});
