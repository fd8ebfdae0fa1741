/** The warnings of `migrate` about databases that lose acknowledged commits, on real ones. */
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type PostgresServer,
  sqldAvailable,
  startPostgres,
  startSqld,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { DatabaseError } from "@escapement/db/client";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createPgDatabase } from "@escapement/db/pg";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import Libsql from "libsql";
import { Client } from "pg";
import { assertMigrated, migrate } from "./migrate.ts";

/** Vitest waits a second, which is not enough on a busy core. */
const PATIENCE = { timeout: 60_000 };

/** The settings that the migration of an empty database warns of, and another one once it is current. */
async function migrateTwice(database: Database): Promise<readonly unknown[]> {
  const logged: unknown[] = [];
  const log = (level: string, event: string, { settings }: { settings?: unknown }): void =>
    void logged.push({ level, event, settings });
  await migrate(database, { logger: { log } });
  await migrate(database, { logger: { log } });
  return logged;
}

const twice = (...settings: readonly string[]): readonly unknown[] =>
  settings.length === 0
    ? []
    : [1, 2].map(() => ({ level: "warn", event: "database.loses_commits", settings }));

describe("migrate on a Postgres that", () => {
  let server: PostgresServer;
  let database: Database;
  beforeAll(async () => {
    server = await startPostgres({ durable: true });
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    database = createPgDatabase({ connectionString: server.url, max: 1 });
  });
  afterEach(async () => {
    await database.close();
    await query("alter role postgres reset synchronous_commit", "alter system reset fsync");
    await query("select pg_reload_conf()", "drop schema public cascade", "create schema public");
  });

  /** Each text is a separate transaction, which `alter system` requires. */
  async function query(...texts: readonly string[]): Promise<void> {
    const client = new Client(server.url);
    await client.connect();
    for (const text of texts) await client.query(text);
    await client.end();
  }

  test("keeps what it acknowledged says nothing", async () => {
    expect(await migrateTwice(database)).toEqual([]);
  });

  test.each(["local", "remote_write"])(
    "has synchronous_commit = %s says nothing",
    async (value) => {
      await query(`alter role postgres set synchronous_commit = ${value}`);
      expect(await migrateTwice(database)).toEqual([]);
    },
  );

  test("has synchronous_commit off for this role is warned of", async () => {
    await query("alter role postgres set synchronous_commit = off");
    expect(await migrateTwice(database)).toEqual(twice("synchronous_commit = off"));
  });

  test("has fsync off is warned of, unless it is Neon, which stores elsewhere", async () => {
    await query("alter system set fsync = off", "select pg_reload_conf()");
    // A connection notices a new configuration between two statements, a moment later.
    await vi.waitFor(async () => expect(await migrateTwice(database)).not.toEqual([]), PATIENCE);
    expect(await migrateTwice(database)).toEqual(twice("fsync = off"));
    await query(`alter role postgres set neon.timeline_id = 'a'`);
    const neon = createPgDatabase({ connectionString: server.url, max: 1 });
    expect(await migrateTwice(neon)).toEqual([]);
    await neon.close();
    await query("alter role postgres reset neon.timeline_id");
  });

  test("has both off is warned of in one line", async () => {
    await query("alter role postgres set synchronous_commit = off", "alter system set fsync = off");
    await query("select pg_reload_conf()");
    await vi.waitFor(
      async () =>
        expect(await migrateTwice(database)).toEqual(
          twice("fsync = off", "synchronous_commit = off"),
        ),
      PATIENCE,
    );
  });
});

describe("migrate on a SQLite file", () => {
  const directory = temporaryDirectory();
  let count = 0;
  const open = (...pragmas: readonly string[]): Database => {
    const connection = new Libsql(join(directory.path, `${(count += 1)}.db`));
    for (const pragma of pragmas) connection.prepare(`pragma ${pragma}`).all();
    return createSqliteDatabase(connection);
  };
  afterAll(() => directory.remove());

  test.each([
    { pragmas: [], settings: [] },
    { pragmas: ["journal_mode = wal", "synchronous = full"], settings: [] },
    { pragmas: ["synchronous = extra"], settings: [] },
    { pragmas: ["synchronous = off"], settings: ["synchronous = off"] },
    { pragmas: ["journal_mode = memory"], settings: ["journal_mode = memory"] },
    {
      pragmas: ["synchronous = off", "journal_mode = memory"],
      settings: ["journal_mode = memory", "synchronous = off"],
    },
  ])("with $pragmas is warned of $settings", async ({ pragmas, settings }) => {
    const database = open(...pragmas);
    expect(await migrateTwice(database)).toEqual(twice(...settings));
    await database.close();
  });

  test("with the recommended pragmas says nothing", async () => {
    const connection = new Libsql(join(directory.path, "recommended.db"));
    applyRecommendedPragmas(connection);
    const database = createSqliteDatabase(connection);
    expect(await migrateTwice(database)).toEqual([]);
    await database.close();
  });

  test("that journals nothing is warned of, once its tables are made", async () => {
    const made = open();
    await migrate(made);
    await made.close();
    const connection = new Libsql(join(directory.path, `${count}.db`));
    connection.prepare("pragma journal_mode = off").all();
    const database = createSqliteDatabase(connection);
    expect(await migrateTwice(database)).toEqual(twice("journal_mode = off"));
    await database.close();
  });
});

describe("migrate", () => {
  afterEach(() => vi.restoreAllMocks());

  test("says nothing of a database in memory, which is not meant to be kept", async () => {
    const database = createSqliteDatabase(new Libsql(":memory:"));
    expect(await migrateTwice(database)).toEqual([]);
    await database.close();
  });

  test.skipIf(!sqldAvailable())("says nothing of sqld, whose settings are its own", async () => {
    const server = await startSqld();
    const database = createLibsqlDatabase(createClient({ url: server.url }));
    expect(await migrateTwice(database)).toEqual([]);
    await database.close();
    await server.stop();
  });

  test.each(["DATABASE_REJECTED", "DATABASE_UNAVAILABLE"] as const)(
    "is done, and says nothing, where the question for settings ends in %s",
    async (code) => {
      const inner = createSqliteDatabase(new Libsql(":memory:"));
      const database: Database = {
        ...inner,
        dialect: inner.dialect,
        batch: (statements) =>
          statements.some(({ text }) => text.includes("pragma_"))
            ? Promise.reject(new DatabaseError(code, "not authorized"))
            : inner.batch(statements),
        close: () => inner.close(),
      };
      expect(await migrateTwice(database)).toEqual([]);
      await assertMigrated(database);
      await database.close();
    },
  );

  test("writes one JSON line on the console by default, which says what it means", async () => {
    const lines: string[] = [];
    vi.spyOn(console, "warn").mockImplementation((line: string) => void lines.push(line));
    const directory = temporaryDirectory();
    const connection = new Libsql(join(directory.path, "data.db"));
    connection.prepare("pragma synchronous = off").all();
    const database = createSqliteDatabase(connection);
    await migrate(database);
    await database.close();
    directory.remove();
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      {
        level: "warn",
        event: "database.loses_commits",
        settings: ["synchronous = off"],
        meaning: expect.stringContaining("completed steps may run again") as unknown,
      },
    ]);
  });
});
