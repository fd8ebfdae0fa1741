/** What frees the rows that a half-open connection holds, and what waits for them meanwhile. */
import {
  createPostgresDatabase,
  postgresAvailable,
  type PostgresVersion,
  startPostgres,
  startPostgresProxy,
} from "@escapement-internal/test-servers";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import type { Database, Statement } from "../../batch.ts";
import { createPgDatabase } from "./index.ts";
import { PgDatabase } from "./pg-database.ts";

const statement = (text: string, ...values: Statement["values"]): Statement => ({ text, values });

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const later = <T extends { close(): Promise<void> }>(database: T): T => {
  cleanups.push(() => database.close());
  return database;
};

async function freshUrl(): Promise<string> {
  const server = await createPostgresDatabase();
  cleanups.push(() => server.drop());
  return server.url;
}

const NAMES = [
  "tcp_keepalives_idle",
  "tcp_keepalives_interval",
  "tcp_keepalives_count",
  "tcp_user_timeout",
  "lock_timeout",
  "statement_timeout",
  "transaction_timeout",
  "enable_seqscan",
  "enable_hashjoin",
  "enable_mergejoin",
  "enable_sort",
  "jit",
  "plan_cache_mode",
];

const showAll = statement(
  `select ${NAMES.map((name) => `current_setting('${name}') as "${name}"`).join(", ")}`,
);

async function settingsOf(
  database: Database,
  options?: { readonly byKeys: boolean },
): Promise<unknown> {
  const result = await database.batch([showAll], options);
  return result.kind === "committed" ? result.rows[0]?.[0] : result;
}

const DEFAULTS = {
  lock_timeout: "5s",
  statement_timeout: "25s",
  transaction_timeout: "25s",
  enable_seqscan: "on",
  enable_hashjoin: "on",
  enable_mergejoin: "on",
  enable_sort: "on",
  plan_cache_mode: "auto",
};
const KEEPALIVE = {
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "25000",
};
const BY_KEYS = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_sort: "off",
  jit: "off",
  plan_cache_mode: "force_generic_plan",
};

const settingsFor = (byKeys: boolean): object => (byKeys ? { ...DEFAULTS, ...BY_KEYS } : DEFAULTS);

describe("settings", () => {
  test("S5-019 by default a dead peer is found in 25 s, a transaction ends after 25 s, a lock is waited for 5 s", async () => {
    const database = later(createPgDatabase({ connectionString: await freshUrl(), max: 1 }));
    for (let batch = 0; batch < 3; batch += 1) {
      expect(await settingsOf(database)).toMatchObject({ ...DEFAULTS, ...KEEPALIVE });
    }
  });

  test("limits can be changed, and taken away", async () => {
    const connectionString = await freshUrl();
    const none = { lockTimeoutMs: null, transactionTimeoutMs: null };
    const off = { lock_timeout: "0", statement_timeout: "0", transaction_timeout: "0" };
    expect(await settingsOf(later(createPgDatabase({ connectionString, ...none })))).toMatchObject(
      off,
    );
    const some = { lockTimeoutMs: 300, batchTimeoutMs: 7000 };
    expect(await settingsOf(later(createPgDatabase({ connectionString, ...some })))).toMatchObject({
      lock_timeout: "300ms",
      statement_timeout: "7s",
      transaction_timeout: "7s",
    });
    const unlimited = createPgDatabase({ connectionString, batchTimeoutMs: null });
    expect(await settingsOf(later(unlimited))).toMatchObject({
      lock_timeout: "5s",
      transaction_timeout: "0",
    });
  });

  test("batches by keys and others take turns on one connection, each under its own settings", async () => {
    const connectionString = await freshUrl();
    for (const preparedStatements of [false, true]) {
      const options = { connectionString, max: 1, preparedStatements };
      const database = later(createPgDatabase(options));
      for (const byKeys of [true, true, false, false, true]) {
        const wanted = { ...settingsFor(byKeys), ...KEEPALIVE };
        expect(await settingsOf(database, { byKeys })).toMatchObject(wanted);
      }
    }
  });

  test("a batch that fails takes its settings back, and the next one sets them", async () => {
    const database = later(createPgDatabase({ connectionString: await freshUrl(), max: 1 }));
    const wrong = [statement("select 1 / 0")];
    await expect(database.batch(wrong)).rejects.toMatchObject({ code: "DATABASE_REJECTED" });
    expect(await settingsOf(database)).toMatchObject({ ...DEFAULTS, ...KEEPALIVE });
    await expect(database.batch(wrong, { byKeys: true })).rejects.toMatchObject({});
    expect(await settingsOf(database)).toMatchObject(DEFAULTS);
  });

  test("on a pool of others' the settings hold within our batches only", async () => {
    const pool = new pg.Pool({ connectionString: await freshUrl(), max: 1 });
    cleanups.push(() => pool.end());
    const before = (await pool.query<object>(showAll.text)).rows[0];
    const database = createPgDatabase({ pool });
    expect(await settingsOf(database, { byKeys: true })).toMatchObject({ ...DEFAULTS, ...BY_KEYS });
    expect((await pool.query<object>(showAll.text)).rows[0]).toEqual(before);
    expect(await settingsOf(database)).toMatchObject(DEFAULTS);
  });

  test("behind a pooler, which gives a process id of its own, they hold within our batches only", async () => {
    const connectionString = await freshUrl();
    const pool = new pg.Pool({ connectionString, max: 1 });
    pool.on("connect", (client) => Object.assign(client, { processID: 1 }));
    const database = later(
      new PgDatabase({
        pool,
        ownsPool: true,
        preparedStatements: false,
        batchTimeoutMs: null,
        connectTimeouts: null,
        limits: { lockTimeoutMs: 5000, transactionTimeoutMs: 25_000, idleSessionTimeoutMs: 20_000 },
        onSettingsRefused: (error) => expect(error).toBeUndefined(),
        onPoolerDetected: () => undefined,
        onConnectionError: () => undefined,
      }),
    );
    const before = (await pool.query<object>(showAll.text)).rows[0];
    for (const byKeys of [true, false]) {
      expect(await settingsOf(database, { byKeys })).toMatchObject(settingsFor(byKeys));
      expect((await pool.query<object>(showAll.text)).rows[0]).toEqual(before);
    }
  });

  test("a server that refuses them is worked with, and it is said once", async () => {
    const url = await freshUrl();
    const admin = later(createPgDatabase({ connectionString: url }));
    await admin.batch([
      statement(
        `create function public.set_config(text, text, boolean) returns text language plpgsql as ` +
          `$$ begin raise exception 'not here' using errcode = '42501'; end $$`,
      ),
      statement(
        `do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`,
      ),
    ]);
    const refusals: unknown[] = [];
    const database = later(
      createPgDatabase({
        connectionString: url,
        onSettingsRefused: (error) => refusals.push(error),
      }),
    );
    const batches = Array.from({ length: 4 }, () => settingsOf(database));
    expect(await Promise.all(batches)).toMatchObject(batches.map(() => ({ lock_timeout: "0" })));
    expect(refusals).toMatchObject([{ code: "42501" }]);
  });
});

const VERSIONS: readonly PostgresVersion[] = [14, 15, 16, 17, 18];

describe.each(VERSIONS.filter(postgresAvailable))("PostgreSQL %i", (version) => {
  test("S5-019 rows of a connection that fell silent in mid-request come free, and are waited for a bounded time", async () => {
    const server = await startPostgres({ version, durable: false });
    cleanups.push(() => server.stop());
    const proxy = await startPostgresProxy(server.url);
    cleanups.push(() => proxy.stop());
    const limits = { lockTimeoutMs: 100, transactionTimeoutMs: 1500 };
    const lost = later(createPgDatabase({ connectionString: proxy.url, max: 1, ...limits }));
    const other = later(createPgDatabase({ connectionString: server.url, max: 2, ...limits }));
    const take = [
      statement("select id from account where id = 1 for update"),
      statement("update account set n = n + 1 where id = 1"),
    ];
    await other.batch([
      statement("create table account (id int primary key, n int)"),
      statement("insert into account values (1, 0)"),
    ]);
    await lost.batch([statement("select 1")]);
    proxy.silence("mid-request");
    const silent = lost.batch(take).catch((error: unknown) => error);
    const locked = { kind: "conflict", reason: "locked", guard: null };
    const probe = [statement("select id from account where id = 1 for update nowait")];
    await expect.poll(() => other.batch(probe), { interval: 5, timeout: 60_000 }).toEqual(locked);
    expect(await other.batch(take)).toEqual(locked);
    // Only the time limit of transactions ends this one before the poll is over.
    await expect
      .poll(() => other.batch(take), { interval: 20, timeout: 60_000 })
      .toMatchObject({ kind: "committed" });
    expect(await other.batch([statement("select n from account")])).toMatchObject({
      rows: [[{ n: 1 }]],
    });
    proxy.killConnections();
    expect(await silent).toMatchObject({ code: "DATABASE_UNAVAILABLE" });
  }, 240_000);
});
