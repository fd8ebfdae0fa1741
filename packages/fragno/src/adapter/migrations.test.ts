/** Migrations: defect 22 of the library's own adapter, and what Fragno's own migrations need from an adapter. */
import { createPostgresDatabase } from "@escapement-internal/test-servers";
import { createPgDatabase } from "@escapement/db/pg";
import { FragnoDatabase, migrate } from "@fragno-dev/db";
import { column, idColumn, referenceColumn, schema } from "@fragno-dev/db/schema";
import { executeMigrations, generateMigrationsOrSchema } from "@fragno-dev/db/generation-engine";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFragnoAdapter } from "./adapter.ts";
import { query, SERVERS, type TestServer } from "./testing/databases.ts";
import { openMail } from "./testing/mail.ts";
import { openShop, shopSchema } from "./testing/shop.ts";

const growing = (columns: number) =>
  schema((s) => {
    const made = s.addTable("thing", (t) =>
      t.addColumn("id", idColumn()).addColumn("boxId", referenceColumn().nullable()),
    );
    const boxed = made.addTable("box", (t) => t.addColumn("id", idColumn()));
    if (columns < 1) return boxed;
    return boxed
      .alterTable("thing", (t) =>
        t
          .addColumn("note", column("string").nullable())
          .addColumn("n", column("integer").defaultTo(7))
          .createIndex("idx_note", ["note"]),
      )
      .addReference("box", {
        type: "one",
        from: { table: "thing", column: "boxId" },
        to: { table: "box", column: "id" },
      });
  });

describe.each(SERVERS)("migrations on $name", ({ start }) => {
  let server: TestServer;

  beforeEach(async () => {
    server = await start();
  });
  afterEach(() => server.drop());

  test("fragno defect 22: clients that migrate at the same moment all succeed, and again at every start", async () => {
    const open = () => createFragnoAdapter({ database: server.open() });
    const migrateAll = async (adapter = open()): Promise<void> => {
      await Promise.all([openShop(adapter), openMail(adapter, () => undefined)]);
    };
    await Promise.all([migrateAll(), migrateAll(), migrateAll(), migrateAll()]);
    await migrateAll();
    const versions = await query(
      server.open(),
      `select "key", "value" from "fragno_db_settings" order by "key"`,
    );
    expect(versions.map(({ key, value }) => `${String(key)}=${String(value)}`)).toEqual([
      ".schema_version=2",
      "mail.schema_version=1",
      `shop.schema_version=${shopSchema.version}`,
    ]);
  });

  test("executeMigrations runs twice, though it reads its own version under another key than it writes", async () => {
    const adapter = createFragnoAdapter({ database: server.open() });
    const database = new FragnoDatabase({
      namespace: "grown",
      schema: growing(0),
      adapter: adapter as never,
    });
    expect(await executeMigrations([database])).toContainEqual({
      namespace: "grown",
      didMigrate: true,
      fromVersion: 0,
      toVersion: 2,
    });
    expect(await executeMigrations([database])).toContainEqual({
      namespace: "grown",
      didMigrate: false,
      fromVersion: 2,
      toVersion: 2,
    });
  });

  test("a later version adds columns, indexes and references to the rows that are there", async () => {
    const adapter = createFragnoAdapter({ database: server.open() });
    const atVersion = async (columns: number) => {
      const versioned = growing(columns);
      const settings = await openMail(adapter, () => undefined);
      await migrate(settings);
      await adapter.prepareMigrations(versioned, "grown").execute(0);
      return adapter.createQueryEngine(versioned, "grown");
    };
    await (await atVersion(0)).create("thing", { id: "old" });
    const grown = await atVersion(1);
    await grown.create("thing", { id: "new", note: "n" } as never);
    const found = await grown.find("thing", (b) => b.whereIndex("primary"));
    expect(found).toMatchObject([
      { note: null, n: 7 },
      { note: "n", n: 7 },
    ]);
    expect(await adapter.getSchemaVersion("grown")).toBe("4");
  });

  test("SQL for migration files can be generated", async () => {
    const adapter = createFragnoAdapter({ database: server.open() });
    const database = new FragnoDatabase({
      namespace: "grown",
      schema: growing(0),
      adapter: adapter as never,
    });
    expect(() => adapter.prepareMigrations(growing(0), "x").getSQL(0)).toThrow(
      expect.objectContaining({ code: "MIGRATIONS_NOT_LOADED" }),
    );
    const files = await generateMigrationsOrSchema([database]);
    expect(files.map(({ schema: text }) => text).join("\n")).toContain(
      `create table "thing_grown"`,
    );
  });

  test("the version of an empty database is none, not an error", async () => {
    const adapter = createFragnoAdapter({ database: server.open() });
    expect(await adapter.getSchemaVersion("shop")).toBeUndefined();
  });
});

test("a migration of large tables, whose indexes take minutes, is not ended by Postgres for taking longer than a batch may", async () => {
  const { url, drop } = await createPostgresDatabase();
  const owner = createPgDatabase({ connectionString: url, max: 1 });
  await query(
    owner,
    "create function slow() returns event_trigger language plpgsql as 'begin perform pg_sleep(0.2); end'",
  );
  await query(
    owner,
    "create event trigger slow on ddl_command_start when tag in ('CREATE INDEX') execute function slow()",
  );
  const database = createPgDatabase({ connectionString: url, transactionTimeoutMs: 500 });
  const adapter = createFragnoAdapter({ database });
  await openShop(adapter);
  expect(await adapter.getSchemaVersion("shop")).toBe(String(shopSchema.version));
  await Promise.all([database.close(), owner.close()]);
  await drop();
});
