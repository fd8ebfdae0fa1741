import { createPostgresDatabase, type TestDatabase } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database, Statement } from "../../batch.ts";
import { batchWithRetry } from "../../retry.ts";
import { createPgDatabase } from "./index.ts";

const statement = (text: string, ...values: Statement["values"]): Statement => ({ text, values });
// Long enough for the other batch to reach the same point.
const meanwhile = statement("select pg_sleep(0.2)");

let server: TestDatabase;
let database: Database;
let serializable: Database;

beforeAll(async () => {
  server = await createPostgresDatabase();
  database = createPgDatabase({ connectionString: server.url });
  const options = encodeURIComponent("-c default_transaction_isolation=serializable");
  serializable = createPgDatabase({ connectionString: `${server.url}?options=${options}` });
  await database.batch([
    statement("create table account (id int primary key, n int)"),
    statement("insert into account values (1, 0), (2, 0)"),
  ]);
});
afterAll(async () => {
  await database.close();
  await serializable.close();
  await server.drop();
});

const increment = [
  statement("select n from account where id = 1"),
  meanwhile,
  statement("update account set n = n + 1 where id = 1"),
];

test("S2-039 a serialization failure (40001) is a conflict", async () => {
  const results = await Promise.all([serializable.batch(increment), serializable.batch(increment)]);
  expect(results).toContainEqual({ kind: "conflict", reason: "serialization", guard: null });
  expect(results).toContainEqual(expect.objectContaining({ kind: "committed" }));
});

test("S2-012 serialization failures are tried again until they pass", async () => {
  const before = await database.batch([statement("select n from account where id = 1")]);
  const results = await Promise.all([1, 2, 3].map(() => batchWithRetry(serializable, increment)));
  expect(results.map(({ kind }) => kind)).toEqual(["committed", "committed", "committed"]);
  const n = Number(before.kind === "committed" ? before.rows[0]?.[0]?.["n"] : Number.NaN);
  expect(await database.batch([statement("select n from account where id = 1")])).toMatchObject({
    rows: [[{ n: n + 3 }]],
  });
});

test("S2-039 a deadlock (40P01) is a conflict, and the other batch goes on", async () => {
  const lockBoth = (first: number, second: number): Statement[] => [
    statement("set local deadlock_timeout = '20ms'"),
    statement("update account set n = n + 100 where id = $1", first),
    meanwhile,
    statement("update account set n = n + 100 where id = $1", second),
  ];
  const results = await Promise.all([
    database.batch(lockBoth(1, 2)),
    database.batch(lockBoth(2, 1)),
  ]);
  expect(results).toContainEqual({ kind: "conflict", reason: "deadlock", guard: null });
  expect(results).toContainEqual(expect.objectContaining({ kind: "committed" }));
});

test("a lock that is not waited for (55P03) is a conflict", async () => {
  const holder = database.batch([
    statement("update account set n = n where id = 2"),
    meanwhile,
    meanwhile,
  ]);
  const impatient = [
    statement("select pg_sleep(0.1)"),
    statement("select id from account where id = 2 for update nowait"),
  ];
  expect(await database.batch(impatient)).toEqual({
    kind: "conflict",
    reason: "locked",
    guard: null,
  });
  expect(await holder).toMatchObject({ kind: "committed" });
});
