/** The two sets of indexes on SQLite: which one a database gets, keeps, and can be given. */
import { sqldAvailable, startSqld } from "@escapement-internal/test-servers";
import type { Database, Row } from "@escapement/db";
import { createD1Database } from "@escapement/db/d1";
import { createDurableObjectDatabase } from "@escapement/db/durable-object";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import { createClient } from "@libsql/client";
import Libsql from "libsql";
import { afterEach, describe, expect, test } from "vitest";
import { createSqlStore } from "./create-sql-store.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./migrations/generated.ts";

const LISTS = [
  "idx_history_workflow_step_workflows",
  "idx_status_createdAt_workflow_instance_workflows",
];

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function openFile(facts: Pick<Database, "billsRows"> = {}): Promise<Database> {
  const database = createSqliteDatabase(new Libsql(":memory:"));
  closing.push(() => database.close());
  return Promise.resolve({
    ...facts,
    dialect: database.dialect,
    batch: (statements, options) => database.batch(statements, options),
    close: () => database.close(),
  });
}

async function openServer(): Promise<Database> {
  const server = await startSqld();
  const database = createLibsqlDatabase(createClient({ url: server.url }));
  closing.push(
    () => database.close(),
    () => server.stop(),
  );
  return database;
}

async function run(database: Database, ...texts: readonly string[]): Promise<readonly Row[]> {
  const result = await database.batch(texts.map((text) => ({ text, values: [] })));
  if (result.kind !== "committed") throw new Error(`batch: ${result.kind}`);
  return result.rows.at(-1) ?? [];
}

async function indexesOf(database: Database): Promise<ReadonlyMap<string, string>> {
  const rows = await run(
    database,
    `select name, sql from sqlite_master where type = 'index' and name like 'idx_%workflows' order by name`,
  );
  return new Map(rows.map(({ name, sql }) => [String(name), String(sql)]));
}

const listsOf = async (database: Database): Promise<readonly string[]> =>
  [...(await indexesOf(database)).keys()].filter((name) => LISTS.includes(name));

/** Tables as version 8 first created them: ids that are never reused, and an index for everything. */
const FIRST_OF_VERSION_8: readonly string[] = [
  ...MIGRATIONS.sqlite.settings,
  ...MIGRATIONS.sqlite.steps
    .flat()
    .map((text) => text.replace("primary key,", "primary key autoincrement,")),
  `create index "idx_lockOwner_workflow_task_workflows" on "workflow_task_workflows" ("lockOwner") where "lockOwner" is not null`,
  `create index "idx_waiting_wakeAt_workflow_step_workflows" on "workflow_step_workflows" ("workflowName", "instanceId", "runNumber", "status", "wakeAt") where "status" = 'waiting'`,
  `create index "idx_undelivered_workflow_event_workflows" on "workflow_event_workflows" ("workflowName", "instanceId", "runNumber", "_internalId") where "deliveredAt" is null`,
  `create unique index "unique_eventId_workflow_event_workflows" on "workflow_event_workflows" ("workflowName", "instanceId", "runNumber", "eventId") where "eventId" is not null`,
  `create index "idx_status_createdAt_workflow_instance_workflows" on "workflow_instance_workflows" ("workflowName", "status", "createdAt")`,
  `insert into "fragno_db_settings" ("id", "key", "value") values ('${MIGRATIONS.sqlite.versionRow.id}', '${MIGRATIONS.sqlite.versionRow.key}', '${SCHEMA_VERSION}')`,
];

const servers = [
  ["embedded libSQL", openFile],
  ...(sqldAvailable() ? ([["sqld over HTTP", openServer]] as const) : []),
] as const;

describe.each(servers)("indexes on %s", (_name, open) => {
  test("the set that was asked for is kept by later migrations, which write nothing", async () => {
    const database = await open();
    for (const indexes of ["lean", "full", "lean"] as const) {
      expect(await migrate(database, { indexes })).toMatchObject({ indexes });
      expect(await listsOf(database)).toEqual(indexes === "full" ? LISTS : []);
      let written = 0;
      const watched: Database = {
        dialect: database.dialect,
        // Another process, whose client reports something else about the database.
        billsRows: indexes === "full",
        batch: (statements) => {
          written += statements.filter(({ text }) => !text.startsWith("select ")).length;
          return database.batch(statements);
        },
        close: () => database.close(),
      };
      expect(await migrate(watched)).toMatchObject({ indexes });
      expect(written).toBe(0);
      expect(await listsOf(database)).toEqual(indexes === "full" ? LISTS : []);
    }
  });

  test("an index of the set that is gone is made again, one too many is dropped", async () => {
    const database = await open();
    await migrate(database, { indexes: "lean" });
    const before = await indexesOf(database);
    await run(
      database,
      `drop index "idx_queue_workflow_task_workflows"`,
      `create index "idx_queue_workflow_task_workflows" on "workflow_task_workflows" ("runAt")`,
      `create index "${LISTS[0]}" on "workflow_step_workflows" ("createdAt")`,
      `create index "idx_own_workflows" on "workflow_step_workflows" ("name")`,
    );
    await migrate(database);
    const own = (await indexesOf(database)).get("idx_own_workflows");
    expect(own).toContain(`("name")`);
    await run(database, `drop index "idx_own_workflows"`);
    expect(await indexesOf(database)).toEqual(before);
  });

  test("a database with an index for everything, and rows in it, is brought to what a new one has", async () => {
    const [old, fresh] = [await open(), await open()];
    await run(old, ...FIRST_OF_VERSION_8);
    const store = createSqlStore({ database: old });
    const ids = { instanceRowId: "i-1", taskRowId: "t-1", instanceId: "one" };
    await store.create([{ workflowName: "order", params: null, start: null, claim: null, ...ids }]);
    expect(await migrate(old)).toMatchObject({ fromVersion: SCHEMA_VERSION });
    await migrate(fresh);
    expect(await indexesOf(old)).toEqual(await indexesOf(fresh));
    const request = { token: "a~b~c", leaseMs: 60_000, limit: 1, workflowNames: ["order"] };
    expect((await store.claim(request)).runs).toMatchObject([{ run: { instanceId: "one" } }]);
    // A table cannot lose AUTOINCREMENT without being rewritten.
    const tables = `select count(*) as "count" from sqlite_master where sql like '%primary key autoincrement%' and name like 'workflow%'`;
    expect(await run(old, tables)).toEqual([{ count: 8 }]);
    expect(await run(fresh, tables)).toEqual([{ count: 0 }]);
  });
});

test("a database that bills rows gets the lean set unless it is asked for the full one, others the full one", async () => {
  expect(await migrate(await openFile())).toMatchObject({ indexes: "full" });
  expect(await migrate(await openFile({ billsRows: true }))).toMatchObject({ indexes: "lean" });
  const asked = await migrate(await openFile({ billsRows: true }), { indexes: "full" });
  expect(asked).toMatchObject({ indexes: "full" });
});

test("D1, Durable Objects and servers of libSQL are taken to bill rows, files are not", () => {
  const nothing = null as never;
  expect(createD1Database(nothing).billsRows).toBe(true);
  expect(createDurableObjectDatabase(nothing).billsRows).toBe(true);
  for (const [url, billsRows] of [
    ["http://127.0.0.1:1", true],
    ["ws://127.0.0.1:1", true],
    ["file::memory:", false],
  ] as const) {
    const database = createLibsqlDatabase(createClient({ url }));
    closing.push(() => database.close());
    expect(database.billsRows).toBe(billsRows);
  }
});

test("two migrations at once that ask for different sets leave one of them whole, and recorded", async () => {
  const database = await openFile();
  await Promise.all([
    migrate(database, { indexes: "lean" }),
    migrate(database, { indexes: "full" }),
  ]);
  const [recorded] = await run(
    database,
    `select "value" from "fragno_db_settings" where "key" = 'workflows.indexes'`,
  );
  expect(await listsOf(database)).toEqual(recorded?.["value"] === "full" ? LISTS : []);
});
