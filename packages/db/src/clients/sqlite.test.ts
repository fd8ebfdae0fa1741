import { join } from "node:path";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { createClient } from "@libsql/client";
import LibsqlConnection from "libsql";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Database, Statement } from "../batch.ts";
import { batchWithRetry } from "../retry.ts";
import { createLibsqlDatabase } from "./libsql.ts";
import { applyRecommendedPragmas, createSqliteDatabase } from "./sqlite.ts";

const statement = (text: string, ...values: Statement["values"]): Statement => ({ text, values });
const busy = { kind: "conflict", reason: "busy", guard: null };

let directory: ReturnType<typeof temporaryDirectory>;
let holder: LibsqlConnection.Database;
let connection: LibsqlConnection.Database;
let database: Database;

beforeEach(async () => {
  directory = temporaryDirectory();
  const path = join(directory.path, "data.db");
  holder = new LibsqlConnection(path);
  applyRecommendedPragmas(holder);
  connection = new LibsqlConnection(path);
  applyRecommendedPragmas(connection, { busyTimeoutMs: 0 });
  database = createSqliteDatabase(connection);
  await database.batch([statement("create table thing (id integer primary key)")]);
});
afterEach(async () => {
  await database.close();
  holder.close();
  directory.remove();
});

test("another writer on the file is a conflict, and a retry passes once it is done", async () => {
  holder.exec("begin immediate");
  expect(await database.batch([statement("insert into thing values (1)")])).toEqual(busy);
  const waits: number[] = [];
  const result = await batchWithRetry(database, [statement("insert into thing values (1)")], {
    wait: (delayMs) => {
      waits.push(delayMs);
      holder.exec("rollback");
      return Promise.resolve();
    },
  });
  expect(result).toMatchObject({ kind: "committed" });
  expect(waits).toHaveLength(1);
});

test("another writer on the file is a conflict for @libsql/client too", async () => {
  const client = createLibsqlDatabase(
    createClient({ url: `file:${join(directory.path, "data.db")}` }),
  );
  holder.exec("begin immediate");
  expect(await client.batch([statement("insert into thing values (1)")])).toEqual(busy);
  holder.exec("rollback");
  expect(await client.batch([statement("insert into thing values (1)")])).toMatchObject({
    kind: "committed",
  });
  await client.close();
});

test.each(["select id from thing", "insert into thing values (7)"])(
  "after having found the file busy the connection is as good as before: %s",
  async (text) => {
    holder.exec("begin immediate");
    for (let time = 0; time < 3; time += 1) {
      expect(await database.batch([statement("insert into thing values (1)")])).toEqual(busy);
    }
    holder.exec("rollback");
    expect(await database.batch([statement(text)])).toMatchObject({ kind: "committed" });
    expect(() => holder.exec("insert into thing values (8)")).not.toThrow();
  },
);

test("a batch that only selects is not held up by a writer", async () => {
  holder.exec("begin immediate");
  holder.exec("insert into thing values (9)");
  expect(await database.batch([statement("select id from thing")])).toEqual({
    kind: "committed",
    rows: [[]],
  });
  holder.exec("rollback");
});

test("S4-032 the pragmas give a log, full durability and the wait asked for", () => {
  const read = (name: string): unknown =>
    Object.values(connection.prepare(`pragma ${name}`).get([]) as object)[0];
  expect(read("journal_mode")).toBe("wal");
  expect(read("synchronous")).toBe(2);
  applyRecommendedPragmas(connection, { synchronous: "NORMAL", busyTimeoutMs: 1234 });
  expect(read("synchronous")).toBe(1);
  expect(read("busy_timeout")).toBe(1234);
});

test("a transaction of the caller's on the same connection is not touched", async () => {
  connection.exec("begin");
  connection.exec("insert into thing values (5)");
  await expect(database.batch([statement("insert into thing values (6)")])).rejects.toMatchObject({
    code: "DATABASE_REJECTED",
  });
  connection.exec("commit");
  expect(await database.batch([statement("select id from thing")])).toMatchObject({
    rows: [[{ id: 5 }]],
  });
});

test("more texts than are kept, each still right", async () => {
  const small = createSqliteDatabase(connection, { maxPrepared: 3 });
  for (let n = 0; n < 20; n += 1) {
    expect(await small.batch([statement(`select ${n} as n`)])).toMatchObject({ rows: [[{ n }]] });
  }
});

test("a text that reads all columns names those that the table has by then, and one of two names keeps the last", async () => {
  const read = [statement("select * from thing"), statement("select 1 as one, 2 as two, 3 as one")];
  await database.batch([statement("insert into thing values (1)")]);
  expect(await database.batch(read)).toMatchObject({ rows: [[{ id: 1 }], [{ one: 3, two: 2 }]] });
  await database.batch([statement("alter table thing add column name text default 'a'")]);
  expect(await database.batch(read)).toEqual({
    kind: "committed",
    rows: [[{ id: 1, name: "a" }], [{ one: 3, two: 2 }]],
  });
});

test("a batch after close is unavailable; closing twice does no harm", async () => {
  const other = createSqliteDatabase(new LibsqlConnection(":memory:"));
  await other.close();
  await other.close();
  await expect(other.batch([statement("select 1")])).rejects.toMatchObject({
    code: "DATABASE_UNAVAILABLE",
  });
});
