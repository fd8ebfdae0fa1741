import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { inspect } from "node:util";
import { createPostgresDatabase, temporaryDirectory } from "@escapement-internal/test-servers";
import type { Database, Row } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import { afterEach, describe, expect, test } from "vitest";
import { SCHEMA_VERSION } from "../stores/sql/migrations/generated.ts";
import type { SqlStore } from "../stores/sql/index.ts";
import { libsql } from "./libsql.ts";
import { neon } from "./neon.ts";
import { openLater } from "./open-later.ts";
import { pglite } from "./pglite.ts";
import { postgres } from "./postgres.ts";
import { openSqliteFile } from "./sqlite-drivers.ts";
import { sqlite } from "./sqlite.ts";
import { type StoreOptions, toStore } from "./store-options.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
const later = <Closing extends { close(): Promise<void> }>(closing: Closing): Closing => {
  cleanups.push(() => closing.close());
  return closing;
};

/** An empty database: stores on it, another client, and the program of a process that uses it. */
interface Subject {
  readonly open: (options?: StoreOptions) => SqlStore;
  readonly database: Database;
  readonly program: { readonly imports: string; readonly store: string };
}

const quiet = { log: () => undefined };

async function onPostgres(): Promise<Subject> {
  const { url, drop } = await createPostgresDatabase();
  cleanups.push(drop);
  return {
    open: (options) => later(postgres(url, { logger: quiet, max: 2, ...options })),
    database: later(createPgDatabase({ connectionString: url, max: 1 })),
    program: {
      imports: `import { postgres } from "@escapement/engine/postgres";`,
      store: `postgres(${JSON.stringify(url)}, { logger: { log() {} } })`,
    },
  };
}

async function onSqlite(): Promise<Subject> {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  const file = `${directory.path}/data.db`;
  return {
    open: (options) => later(sqlite(file, { logger: quiet, ...options })),
    database: later(await openSqliteFile(file, {})),
    program: {
      imports: `import { sqlite } from "@escapement/engine/sqlite";`,
      store: `sqlite(${JSON.stringify(file)})`,
    },
  };
}

async function run(database: Database, statement: string): Promise<readonly Row[]> {
  const result = await database.batch([{ text: statement, values: [] }]);
  if (result.kind !== "committed") throw new Error(`batch: ${result.kind}`);
  return result.rows[0] ?? [];
}

const setVersion = (database: Database, version: number): Promise<unknown> =>
  run(
    database,
    `update "fragno_db_settings" set "value" = '${version}' where "key" = 'workflows.schema_version'`,
  );

const list = (store: SqlStore): Promise<unknown> => store.loadInstance("order", "o-1");

describe.each([
  ["postgres(url)", onPostgres],
  ["sqlite(file)", onSqlite],
])("%s", (_name, setup) => {
  test("makes its tables with the first call, however many come at once", async () => {
    const { open } = await setup();
    const store = open();
    expect(await Promise.all([list(store), list(store), list(store)])).toEqual([null, null, null]);
    expect(await store.migrate()).toMatchObject({ fromVersion: SCHEMA_VERSION });
  });

  test("processes that use an empty database for the first time at one moment all work", async () => {
    const { program } = await setup();
    const source =
      `${program.imports} const store = ${program.store};` +
      `process.stderr.write("ready"); process.stdin.once("data", async () => {` +
      `console.log(JSON.stringify(await store.loadInstance("order", "o-1"))); await store.close(); process.exit(); });`;
    const children = Array.from({ length: 3 }, () =>
      spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", source], {
        cwd: new URL(".", import.meta.url),
      }),
    );
    await Promise.all(children.map((child) => once(child.stderr, "data")));
    for (const child of children) child.stdin.end("go\n");
    const printed = await Promise.all(children.map((child) => text(child.stdout)));
    expect(printed).toEqual(["null\n", "null\n", "null\n"]);
  });

  test("`check` refuses tables that are missing, older or newer, and goes on once they fit", async () => {
    const { open, database } = await setup();
    const store = open({ migrations: "check" });
    const mismatch = (databaseVersion: number) => ({
      code: "SCHEMA_MISMATCH",
      details: { databaseVersion, codeVersion: SCHEMA_VERSION },
    });
    await expect(list(store)).rejects.toMatchObject(mismatch(0));
    await store.migrate();
    await setVersion(database, SCHEMA_VERSION - 1);
    await expect(list(store)).rejects.toMatchObject(mismatch(SCHEMA_VERSION - 1));
    await setVersion(database, SCHEMA_VERSION + 1);
    await expect(list(store)).rejects.toMatchObject(mismatch(SCHEMA_VERSION + 1));
    await setVersion(database, SCHEMA_VERSION);
    expect(await list(store)).toBeNull();
  });

  test("`auto` refuses tables of newer code and leaves them as they are", async () => {
    const { open, database } = await setup();
    await open().migrate();
    await setVersion(database, SCHEMA_VERSION + 1);
    await expect(list(open())).rejects.toMatchObject({ code: "SCHEMA_MISMATCH" });
  });

  test("`none` asks for nothing, and says that tables are missing once a call needs them", async () => {
    const { open } = await setup();
    const store = open({ migrations: "none" });
    expect(await store.now()).toBeGreaterThan(0);
    await expect(list(store)).rejects.toMatchObject({ code: "SCHEMA_MISMATCH" });
    await store.migrate();
    expect(await list(store)).toBeNull();
  });

  test("costs one trip in a process that finds its tables current, and none after that", async () => {
    const { open, database } = await setup();
    await open().migrate();
    let tripCount = 0;
    const counted: Database = {
      dialect: database.dialect,
      batch: (statements, options) => ((tripCount += 1), database.batch(statements, options)),
      close: async () => undefined,
    };
    for (const migrations of ["auto", "check"] as const) {
      const store = toStore(counted, { migrations });
      tripCount = 0;
      await list(store);
      expect(tripCount).toBe(2);
      await list(store);
      expect(tripCount).toBe(3);
    }
  });

  test("says by code that it is closed, before its first call too, and closes twice", async () => {
    const { open } = await setup();
    const [fresh, used] = [open(), open()];
    await list(used);
    for (const store of [fresh, used]) {
      await store.close();
      await store.close();
      await expect(list(store)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    }
  });
});

test("a migration that the database refuses says why, and is tried again by the next call", async () => {
  const { url, drop } = await createPostgresDatabase();
  cleanups.push(drop);
  const admin = later(createPgDatabase({ connectionString: url, max: 1 }));
  const { database, role } = {
    database: new URL(url).pathname.slice(1),
    role: `limited_${Date.now()}`,
  };
  await run(admin, `create role ${role} login`);
  cleanups.push(() =>
    run(admin, `drop owned by ${role}`).then(() => run(admin, `drop role ${role}`)),
  );
  const limited = new URL(url);
  limited.username = role;
  await run(admin, `revoke create on schema public from public`);
  const store = later(postgres(limited.href, { logger: quiet }));
  await expect(list(store)).rejects.toMatchObject({
    code: "SCHEMA_MISMATCH",
    message: expect.stringContaining("permission denied") as string,
  });
  await run(admin, `grant create on schema public to ${role}`);
  expect(await list(store), database).toBeNull();
});

test("a file whose folder is missing says so, and is opened by the next call once the folder is there", async () => {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  const store = later(sqlite(`${directory.path}/deep/data.db`));
  await expect(list(store)).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: `The database cannot be reached: its folder ${directory.path}/deep does not exist`,
  });
  mkdirSync(`${directory.path}/deep`);
  expect(await list(store)).toBeNull();
});

test("S4-032 a file is set up as recommended, and a store in memory needs none", async () => {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  const file = `${directory.path}/data.db`;
  await list(later(sqlite(file)));
  const beside = later(await openSqliteFile(file, {}));
  expect(await run(beside, "pragma journal_mode")).toEqual([{ journal_mode: "wal" }]);
  expect(await run(beside, "pragma busy_timeout")).toEqual([{ timeout: 2000 }]);
  expect(await list(later(sqlite(":memory:")))).toBeNull();
});

test("a database whose opening fails is opened again by the next call, and closed if it was being opened", async () => {
  let [openCount, closeCount] = [0, 0];
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  const inner = await openSqliteFile(`${directory.path}/data.db`, {});
  const database = openLater({
    dialect: inner.dialect,
    isSerial: true,
    async open() {
      openCount += 1;
      if (openCount === 1) throw new Error("not yet");
      return {
        ...inner,
        dialect: inner.dialect,
        batch: (s) => inner.batch(s),
        close: async () => void (closeCount += 1),
      };
    },
  });
  const now = [{ text: "select 1 as one", values: [] }];
  await expect(database.batch(now)).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
  const opening = database.batch(now);
  await database.close();
  expect(await opening).toMatchObject({ kind: "committed" });
  expect([openCount, closeCount]).toEqual([2, 1]);
  await inner.close();
});

test("PGlite is a store by one call", async () => {
  expect(await list(later(pglite(undefined, { logger: quiet })))).toBeNull();
});

describe("a URL that cannot work", () => {
  const secret = "s3cr3t-of-this-test";
  test.each([
    ["postgres", () => postgres(undefined)],
    ["postgres", () => postgres("")],
    ["postgres", () => postgres(`mysql://me:${secret}@127.0.0.1/db`)],
    ["postgres", () => postgres(`postgres://me:${secret}#@127.0.0.1:99999/db`)],
    ["postgres", () => postgres(secret)],
    ["neon", () => neon(`https://me:${secret}@127.0.0.1/db`)],
    ["libsql", () => libsql(`file:${secret}.db`)],
    ["libsql", () => libsql(`libsql://host/?authToken=${secret}&nonsense=1`)],
    ["sqlite", () => sqlite(undefined)],
    ["sqlite", () => sqlite(`libsql://host?authToken=${secret}`)],
    ["sqlite", () => sqlite("file:data.db")],
  ])("is refused by %s at once, by code, without a word of its password", (_name, open) => {
    let refused: unknown;
    try {
      open();
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({ code: "STORE_OPTIONS_INVALID" });
    expect(inspect(refused, { depth: 9 })).not.toContain(secret);
  });

  test.each(["postgres://me@/db?host=/nowhere", "postgres:///db?host=/nowhere"])(
    "is none that names a socket's folder: %s",
    async (url) => {
      const store = later(postgres(url));
      await expect(list(store)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    },
  );

  test("or whose server is away says so with the first call, without a word of its password", async () => {
    const store = later(postgres(`postgres://me:${secret}@127.0.0.1:1/db`));
    const refused: unknown = await list(store).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect(inspect(refused, { depth: 9 })).not.toContain(secret);
  });
});
