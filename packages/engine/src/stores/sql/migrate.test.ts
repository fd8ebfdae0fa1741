import { join } from "node:path";
import { createClient } from "@libsql/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createPostgresDatabase,
  sqldAvailable,
  startSqld,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import type { Database, Row } from "@escapement/db";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createPgDatabase } from "@escapement/db/pg";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import Libsql from "libsql";
import { assertMigrated, migrate, planMigration } from "./migrate.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./migrations/generated.ts";
import { toMigrationBatch, VERSION_GUARD } from "./migrations/migration-batch.ts";
import { EMPTY_STATE } from "./migrations/schema-state.ts";
import { toSchemaMismatch } from "./migrations/schema-mismatch.ts";
import { isFirst } from "./testing-migrate.ts";

/** An empty database that any number of clients can connect to. */
interface TestServer {
  connect(): Database;
  stop(): Promise<void>;
}

async function startPostgresServer(): Promise<TestServer> {
  const created = await createPostgresDatabase();
  return {
    connect: () => createPgDatabase({ connectionString: created.url, max: 1 }),
    stop: () => created.drop(),
  };
}

function startLibsqlFile(): Promise<TestServer> {
  const directory = temporaryDirectory();
  return Promise.resolve({
    connect: () => {
      const connection = new Libsql(join(directory.path, "data.db"));
      applyRecommendedPragmas(connection);
      return createSqliteDatabase(connection);
    },
    stop: () => Promise.resolve(directory.remove()),
  });
}

async function startLibsqlServer(): Promise<TestServer> {
  const server = await startSqld();
  return {
    connect: () => createLibsqlDatabase(createClient({ url: server.url })),
    stop: () => server.stop(),
  };
}

const servers = [
  ["Postgres", startPostgresServer],
  ["embedded libSQL", startLibsqlFile],
  ...(sqldAvailable() ? ([["sqld over HTTP", startLibsqlServer]] as const) : []),
] as const;

const VERSION_KEY = "workflows.schema_version";

/** Runs statements that must succeed, and returns the rows of the last one. */
async function run(database: Database, ...texts: readonly string[]): Promise<readonly Row[]> {
  const result = await database.batch(texts.map((text) => ({ text, values: [] })));
  if (result.kind !== "committed") throw new Error(`batch: ${result.kind}`);
  return result.rows.at(-1) ?? [];
}

const loadVersions = (database: Database): Promise<readonly Row[]> =>
  run(
    database,
    `select "key", "value" from "fragno_db_settings" where "key" like '%version' order by "key"`,
  );

/** Counts batches and keeps their texts. */
function toRecorded(database: Database): {
  readonly database: Database;
  readonly sent: string[][];
} {
  const sent: string[][] = [];
  return {
    sent,
    database: {
      dialect: database.dialect,
      batch: (statements) => {
        sent.push(statements.map((statement) => statement.text));
        return database.batch(statements);
      },
      close: () => database.close(),
    },
  };
}

describe.each(servers)("migrate on %s", (_name, start) => {
  let server: TestServer;
  let database: Database;

  beforeEach(async () => {
    server = await start();
    database = server.connect();
  });
  afterEach(async () => {
    await database.close();
    await server.stop();
  });

  const setVersion = (value: string): Promise<unknown> =>
    run(
      database,
      `update "fragno_db_settings" set "value" = '${value}' where "key" = '${VERSION_KEY}'`,
    );

  test("a plan has the statements that a migration sends, and sends none itself", async () => {
    const { database: recorded, sent } = toRecorded(database);
    const { statements, ...planned } = await planMigration(recorded);
    expect(sent).toHaveLength(1);
    const looks = sent.splice(0).length;
    expect(await migrate(recorded)).toEqual(planned);
    expect(sent[looks]).toEqual(statements.map(({ text }) => text));
    expect(await planMigration(recorded)).toEqual({
      ...planned,
      fromVersion: SCHEMA_VERSION,
      statements: [],
    });
    await setVersion("9999");
    await expect(planMigration(database)).rejects.toMatchObject({ code: "SCHEMA_MISMATCH" });
  });

  test("S0-068 an empty database gets every table, and its version where Fragno keeps it", async () => {
    expect(await migrate(database)).toMatchObject({ fromVersion: 0, toVersion: SCHEMA_VERSION });
    await assertMigrated(database);
    for (const table of ["instance", "step", "event", "task"]) {
      expect(await run(database, `select * from "workflow_${table}_workflows"`)).toEqual([]);
    }
    expect(await loadVersions(database)).toEqual([
      { key: ".schema_version", value: "2" },
      { key: VERSION_KEY, value: String(SCHEMA_VERSION) },
    ]);
  });

  test("a second migration is two trips that write nothing", async () => {
    await migrate(database);
    const recorded = toRecorded(database);
    expect(await migrate(recorded.database)).toMatchObject({
      fromVersion: SCHEMA_VERSION,
      toVersion: SCHEMA_VERSION,
    });
    expect(recorded.sent).toHaveLength(2);
    expect(recorded.sent.flat().every((text) => text.startsWith("select "))).toBe(true);
  });

  test("ten migrations at once all succeed and leave one database", async () => {
    const clients = Array.from({ length: 10 }, () => server.connect());
    const results = await Promise.all(clients.map((client) => migrate(client)));
    expect(results.filter((result) => isFirst(result))).toHaveLength(1);
    expect(new Set(results.map((result) => result.toVersion))).toEqual(new Set([SCHEMA_VERSION]));
    expect(await loadVersions(database)).toHaveLength(2);
    await assertMigrated(database);
    await Promise.all(clients.map((client) => client.close()));
  });

  test("a migration that looked before another finished does not apply its steps again", async () => {
    const set = MIGRATIONS[database.dialect.name];
    await migrate(database);
    const seen = { state: EMPTY_STATE, indexSet: "full" } as const;
    const result = await database.batch(toMigrationBatch(database.dialect, set, seen));
    expect(result).toEqual({ kind: "conflict", reason: "guard", guard: VERSION_GUARD });
    expect(await loadVersions(database)).toHaveLength(2);
  });

  test.each([0, 1, 2, 3])(
    "a database at version %i is upgraded and keeps its rows",
    async (from) => {
      const set = MIGRATIONS[database.dialect.name];
      const row = set.versionRow;
      await run(
        database,
        ...set.settings,
        `insert into "fragno_db_settings" ("id", "key", "value") values ('${row.id}', '${row.key}', '${from}')`,
        `insert into "fragno_db_settings" ("id", "key", "value") values ('other', 'other.schema_version', '7')`,
        ...set.steps.slice(0, from).flat(),
      );
      expect(await migrate(database)).toMatchObject({
        fromVersion: from,
        toVersion: SCHEMA_VERSION,
      });
      await assertMigrated(database);
      expect(await loadVersions(database)).toEqual([
        { key: "other.schema_version", value: "7" },
        { key: VERSION_KEY, value: String(SCHEMA_VERSION) },
      ]);
    },
  );

  test("a step that fails leaves nothing behind, and the next migration succeeds", async () => {
    const failing = toFailingAfter(database, "workflow_event_workflows");
    await expect(migrate(failing)).rejects.toMatchObject({ code: "DATABASE_REJECTED" });
    await expect(assertMigrated(database)).rejects.toMatchObject({ code: "SCHEMA_MISMATCH" });
    expect(await migrate(database)).toMatchObject({ fromVersion: 0, toVersion: SCHEMA_VERSION });
  });

  test("a partial index that was dropped is made again", async () => {
    await migrate(database);
    const name = "idx_lockOwner_workflow_task_workflows";
    await run(database, `drop index "${name}"`);
    await migrate(database);
    expect(await run(database, `drop index "${name}"`)).toEqual([]);
  });

  test("S8-018 a database of newer code is refused and left as it is", async () => {
    await migrate(database);
    await setVersion(String(SCHEMA_VERSION + 1));
    const details = { databaseVersion: SCHEMA_VERSION + 1, codeVersion: SCHEMA_VERSION };
    for (const look of [migrate, assertMigrated]) {
      await expect(look(database)).rejects.toMatchObject({
        code: "SCHEMA_MISMATCH",
        message: expect.stringContaining("newer than this code") as string,
        details,
      });
    }
    expect((await loadVersions(database))[1]?.["value"]).toBe(String(SCHEMA_VERSION + 1));
  });

  test("a recorded version that is no number is refused", async () => {
    await migrate(database);
    await setVersion("four");
    await expect(migrate(database)).rejects.toMatchObject({
      code: "SCHEMA_MISMATCH",
      details: { recorded: "four" },
    });
  });

  test("a database without tables is told to migrate, by the check and by a failing statement", async () => {
    const message = expect.stringContaining("run migrate(database)") as string;
    await expect(assertMigrated(database)).rejects.toMatchObject({
      code: "SCHEMA_MISMATCH",
      message,
      details: { databaseVersion: 0 },
    });
    for (const text of [
      `select "id" from "workflow_task_workflows"`,
      `delete from "workflow_task_workflows"`,
    ]) {
      const error: unknown = await run(database, text).catch((thrown: unknown) => thrown);
      expect(toSchemaMismatch(error)).toMatchObject({ code: "SCHEMA_MISMATCH", message });
    }
  });

  test("a database whose tables lack a column is told to migrate", async () => {
    await migrate(database);
    for (const text of [
      `select "later" from "workflow_task_workflows" as "t" where "t"."later" is null`,
      `insert into "workflow_task_workflows" ("id", "later") values ('a', 'b')`,
    ]) {
      const error: unknown = await run(database, text).catch((thrown: unknown) => thrown);
      expect(toSchemaMismatch(error)?.code).toBe("SCHEMA_MISMATCH");
    }
  });
});

/** Fails every batch after the statement that names `table`, like a database that lacks the right to continue. */
function toFailingAfter(database: Database, table: string): Database {
  return {
    dialect: database.dialect,
    batch: (statements) => {
      const at = statements.findIndex((statement) => statement.text.includes(table));
      const broken = { text: "select broken from", values: [] };
      return database.batch(
        at < 0 ? statements : [...statements.slice(0, at + 1), broken, ...statements.slice(at + 1)],
      );
    },
    close: () => database.close(),
  };
}
