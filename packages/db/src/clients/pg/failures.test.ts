import {
  createPostgresDatabase,
  findFreePort,
  startPostgres,
  startPostgresProxy,
} from "@escapement-internal/test-servers";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import type { Database, Statement } from "../../batch.ts";
import { createPgDatabase } from "./index.ts";

// Vitest fails the run on an unhandled rejection, an uncaught exception or an unhandled `error` event, so each test here also
// proves that the process survives.

const statement = (text: string, ...values: Statement["values"]): Statement => ({ text, values });
const one = [statement("select 1 as one")];
const forever = [statement("select pg_sleep(60)")];
const unavailable = { code: "DATABASE_UNAVAILABLE", retryable: true };
const committed = { kind: "committed", rows: [[{ one: 1 }]] };

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const later = <T extends { close(): Promise<void> }>(database: T): T => {
  cleanups.push(() => database.close());
  return database;
};

async function freshDatabase(
  options: { readonly max?: number } = {},
): Promise<{ database: Database; url: string }> {
  const server = await createPostgresDatabase();
  cleanups.push(() => server.drop());
  return {
    database: later(createPgDatabase({ connectionString: server.url, ...options })),
    url: server.url,
  };
}

/** Waits until a backend of the database is busy with `forever`. */
async function whenSleeping(admin: Database): Promise<void> {
  const busy = statement(
    "select count(*) as n from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()",
  );
  await expect
    .poll(async () => admin.batch([busy]), { interval: 10 })
    .not.toMatchObject({ rows: [[{ n: 0 }]] });
}

const terminateOthers = statement(
  "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
);

test("S2-038 connections killed while idle are replaced, and reported", async () => {
  const { url } = await freshDatabase();
  const lost: unknown[] = [];
  const database = later(
    createPgDatabase({ connectionString: url, onConnectionError: (error) => lost.push(error) }),
  );
  const admin = later(createPgDatabase({ connectionString: url }));
  await Promise.all(Array.from({ length: 5 }, () => database.batch(one)));
  await admin.batch([terminateOthers]);
  await expect.poll(() => lost.length, { interval: 10 }).toBe(5);
  expect(await Promise.all(Array.from({ length: 5 }, () => database.batch(one)))).toEqual(
    Array.from({ length: 5 }, () => committed),
  );
});

test("S2-011 a connection killed during a batch fails that batch, and the next one works", async () => {
  const { database, url } = await freshDatabase();
  const admin = later(createPgDatabase({ connectionString: url }));
  const inFlight = database.batch(forever);
  const failed = inFlight.catch((error: unknown) => error);
  await whenSleeping(admin);
  await admin.batch([terminateOthers]);
  expect(await failed).toMatchObject(unavailable);
  expect(await database.batch(one)).toEqual(committed);
});

test("a batch cut off by the network fails, and the next one works", async () => {
  const { url } = await freshDatabase();
  const proxy = await startPostgresProxy(url);
  cleanups.push(() => proxy.stop());
  const database = later(createPgDatabase({ connectionString: proxy.url, max: 3 }));
  const admin = later(createPgDatabase({ connectionString: url }));
  await Promise.all([database.batch(one), database.batch(one)]);
  const failed = Promise.allSettled([database.batch(forever), database.batch(forever)]);
  await whenSleeping(admin);
  proxy.killConnections();
  expect(await failed).toMatchObject([{ reason: unavailable }, { reason: unavailable }]);
  expect(await database.batch(one)).toEqual(committed);
});

test("no batch hangs on a network that swallows everything, and others follow once it is back", async () => {
  const { url } = await freshDatabase();
  const proxy = await startPostgresProxy(url);
  cleanups.push(() => proxy.stop());
  const database = later(
    createPgDatabase({
      connectionString: proxy.url,
      max: 2,
      batchTimeoutMs: 1500,
      connectionTimeoutMs: 2000,
    }),
  );
  expect(await database.batch(one)).toEqual(committed);
  proxy.setSilent(true);
  const batches = Array.from({ length: 4 }, () => database.batch(one));
  expect(await Promise.allSettled(batches)).toMatchObject(
    batches.map(() => ({ reason: unavailable })),
  );
  proxy.setSilent(false);
  expect(await database.batch(one)).toEqual(committed);
});

test("a server that is not there is unavailable, at once", async () => {
  const database = later(
    createPgDatabase({
      connectionString: `postgres://postgres@127.0.0.1:${await findFreePort()}/postgres`,
    }),
  );
  await expect(database.batch(one)).rejects.toMatchObject(unavailable);
});

test("a full pool is unavailable after the connection timeout", async () => {
  const server = await createPostgresDatabase();
  cleanups.push(() => server.drop());
  const database = later(
    createPgDatabase({ connectionString: server.url, max: 1, connectionTimeoutMs: 1000 }),
  );
  const holder = database.batch([statement("select pg_sleep(3)")]);
  await expect(database.batch(one)).rejects.toMatchObject(unavailable);
  expect(await holder).toMatchObject({ kind: "committed" });
  expect(await database.batch(one)).toEqual(committed);
});

test("a database that does not exist is a mistake and not a matter of time", async () => {
  const { url } = await freshDatabase();
  const database = later(createPgDatabase({ connectionString: `${url}_missing` }));
  await expect(database.batch(one)).rejects.toMatchObject({ code: "DATABASE_ACCESS_REFUSED" });
});

test.each(["SIGINT", "SIGQUIT", "SIGKILL"] as const)(
  "S2-011 a Postgres that is restarted (%s) fails what is in flight, and the next call works",
  async (signal) => {
    const server = await startPostgres({ durable: false });
    cleanups.push(() => server.stop());
    const database = later(createPgDatabase({ connectionString: server.url, max: 5 }));
    const admin = later(createPgDatabase({ connectionString: server.url }));
    await Promise.all(Array.from({ length: 5 }, () => database.batch(one)));
    const failed = Promise.allSettled([database.batch(forever), database.batch(forever)]);
    await whenSleeping(admin);
    await server.halt(signal);
    expect(await failed).toMatchObject([{ reason: unavailable }, { reason: unavailable }]);
    await expect(database.batch(one)).rejects.toMatchObject(unavailable);
    await server.restart();
    expect(await Promise.all(Array.from({ length: 5 }, () => database.batch(one)))).toEqual(
      Array.from({ length: 5 }, () => committed),
    );
  },
);

test("a pool of one's own is used, guarded against lost connections, and left open", async () => {
  const { url } = await freshDatabase();
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  cleanups.push(() => pool.end());
  // Connected before the client was created.
  await pool.query("select 1");
  const database = createPgDatabase({ pool });
  const admin = later(createPgDatabase({ connectionString: url }));
  expect(await database.batch(one)).toEqual(committed);
  const failed = database.batch(forever).catch((error: unknown) => error);
  await whenSleeping(admin);
  await admin.batch([terminateOthers]);
  expect(await failed).toMatchObject(unavailable);
  expect(await database.batch(one)).toEqual(committed);
  await database.close();
  await expect(database.batch(one)).rejects.toMatchObject(unavailable);
  expect((await pool.query("select 2 as two")).rows).toEqual([{ two: 2 }]);
});

test("a batch after close is unavailable, an empty one too; closing twice does no harm", async () => {
  const { database } = await freshDatabase();
  await database.batch(one);
  await database.close();
  await database.close();
  await expect(database.batch(one)).rejects.toMatchObject(unavailable);
  await expect(database.batch([])).rejects.toMatchObject(unavailable);
});
