/** Databases that sleep, and processes that are frozen. */
import {
  createPostgresDatabase,
  startPostgresProxy,
  type TestDatabase,
} from "@escapement-internal/test-servers";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Database, Statement } from "../../batch.ts";
import { ConnectPatience } from "./connect-patience.ts";
import { createPgDatabase } from "./index.ts";

const statement = (text: string, ...values: Statement["values"]): Statement => ({ text, values });
const one = [statement("select 1 as one")];
const committed = { kind: "committed", rows: [[{ one: 1 }]] };
const unavailable = { code: "DATABASE_UNAVAILABLE" };
const MINUTE_MS = 60_000;

let server: TestDatabase;
beforeAll(async () => {
  server = await createPostgresDatabase();
});
afterAll(() => server.drop());

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const later = <T extends { close(): Promise<void> }>(database: T): T => {
  cleanups.push(() => database.close());
  return database;
};

test("connecting is given longer while the database may be asleep, by a wall clock that may be set back", () => {
  const patience = new ConnectPatience({ awakeMs: 10_000, asleepMs: 40_000 });
  const now = Date.parse("2026-11-22");
  expect(patience.limitMs(now)).toBe(40_000);
  patience.answered(now);
  expect(patience.limitMs(now + 3 * MINUTE_MS)).toBe(10_000);
  expect(patience.limitMs(now + 5 * MINUTE_MS)).toBe(40_000);
  expect(patience.limitMs(now - 60 * MINUTE_MS)).toBe(40_000);
});

test("a batch may take as long as ever once a database that wakes has taken its time to connect", async () => {
  // Connecting takes one answer and the batch another; together they take longer than a batch may.
  const proxy = await startPostgresProxy(server.url, { delayMs: 600 });
  cleanups.push(() => proxy.stop());
  const limits = { batchTimeoutMs: 1000, connectionTimeoutMs: 5000 };
  const connect = (): Database =>
    later(createPgDatabase({ connectionString: proxy.url, max: 2, ...limits }));
  const database = connect();
  expect(await database.batch(one)).toEqual(committed);
  // It is awake, so a second connection counts towards the time limit of a batch.
  const together = await Promise.allSettled([database.batch(one), database.batch(one)]);
  expect(together).toMatchObject([{ value: committed }, { reason: unavailable }]);
});

const sessions = statement(
  "select count(*) as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
);

test("connections that are not used are closed", async () => {
  const database = later(createPgDatabase({ connectionString: server.url, idleTimeoutMs: 50 }));
  const admin = later(createPgDatabase({ connectionString: server.url }));
  await Promise.all([database.batch(one), database.batch(one)]);
  await expect
    .poll(() => admin.batch([sessions]), { interval: 10 })
    .toMatchObject({ rows: [[{ n: 0 }]] });
  expect(await database.batch(one)).toEqual(committed);
});

test("the server closes those of a process that is frozen, and the next batch does not fail for it", async () => {
  const database = later(
    createPgDatabase({
      connectionString: server.url,
      max: 1,
      idleTimeoutMs: 100,
    }),
  );
  const backend = [statement("select pg_backend_pid() as pid")];
  const before = await database.batch(backend);
  // Nothing in this process runs meanwhile, not even timers.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
  const after = await database.batch(backend);
  expect(after).toMatchObject({ kind: "committed" });
  expect(after).not.toEqual(before);
});

test("a session that the server keeps is left as the role has it", async () => {
  const show = [statement("select current_setting('idle_session_timeout') as ends")];
  for (const [idleTimeoutMs, ends] of [
    [null, "0"],
    [10_000, "20s"],
  ] as const) {
    const database = later(createPgDatabase({ connectionString: server.url, idleTimeoutMs }));
    expect(await database.batch(show)).toMatchObject({ rows: [[{ ends }]] });
  }
});
