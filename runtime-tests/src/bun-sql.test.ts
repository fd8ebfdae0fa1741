import {
  createPostgresDatabase,
  pgBouncerAvailable,
  type PostgresProxy,
  startPgBouncer,
  startPostgresProxy,
  type TestDatabase,
} from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { postgresDialect, type Statement } from "@escapement/db/client";
import { describeDatabaseContract } from "@escapement/db/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "./bridge/connect.ts";
import { type RunningProgram, startProgram } from "./start-program.ts";
import { missingRuntime } from "./tools.ts";

const skip = missingRuntime("bun");
const start = (...args: string[]): Promise<RunningProgram> =>
  startProgram({ runtime: "bun", program: "bun-sql", args });

describeDatabaseContract({
  name: "Bun.SQL on Postgres",
  skip,
  async setup() {
    const server = await createPostgresDatabase();
    const running = await start(server.url);
    const database = connect(running.url, postgresDialect);
    return {
      database,
      open: () => Promise.resolve(connect(running.url, postgresDialect)),
      async teardown() {
        await database.close();
        await running.stop();
        await server.drop();
      },
    };
  },
});

describe.skipIf(skip !== null)("Bun.SQL", () => {
  const statement = (text: string, ...values: Statement["values"]): Statement => ({ text, values });
  const one = [statement("select 1 as one")];
  const committed = { kind: "committed", rows: [[{ one: 1 }]] };
  const unavailable = { code: "DATABASE_UNAVAILABLE" };
  let server: TestDatabase;
  let network: PostgresProxy;
  let running: RunningProgram;
  let database: Database;
  beforeAll(async () => {
    server = await createPostgresDatabase();
    network = await startPostgresProxy(server.url);
    running = await start(network.url, "1000");
    database = connect(running.url, postgresDialect);
    await database.batch([statement("create table thing (id int primary key, word text)")]);
  });
  afterAll(async () => {
    await database.close();
    await running.stop();
    await network.stop();
    await server.drop();
  });

  const trips = async (...batch: Statement[]): Promise<number> => {
    network.reset();
    await database.batch(batch);
    return network.stats().trips;
  };

  let lastId = 0;
  // A busy machine may cut what is sent at once in two, with an answer to the first part in between.
  test("one batch is one trip, new texts too, conflicts too", { retry: 4 }, async () => {
    const insert = (id: number) => statement("insert into thing (id) values ($1) returning id", id);
    lastId += 2;
    const both = [insert(lastId - 1), insert(lastId)];
    expect(await trips(...both, statement("select count(*) from thing"))).toBe(1);
    expect(await trips(insert(lastId))).toBe(1);
    expect(await trips(statement(postgresDialect.guard("never", "1 = 0")), insert(0))).toBe(1);
    expect(await trips()).toBe(0);
  });

  test.each([
    `'; drop table thing; --`,
    `\\'; drop table thing; --`,
    `$1 $2 $tag$ /* */ "`,
    String.raw`E'\x41\\'`,
  ])("a value stays a value: %s", async (value) => {
    const word = statement("select $1 || '' as word, '$1' as quoted, $2::int as n", value, 2);
    expect(await database.batch([word])).toMatchObject({
      rows: [[{ word: value, quoted: "$1", n: 2 }]],
    });
  });

  test("what only the commit finds out undoes the batch", async () => {
    await database.batch([
      statement("create table late (id int unique deferrable initially deferred)"),
    ]);
    const insert = statement("insert into late values (7)");
    expect(await database.batch([insert, insert])).toEqual({
      kind: "unique",
      constraint: "late_id_key",
    });
    expect(await database.batch([statement("select id from late")])).toMatchObject({ rows: [[]] });
  });

  test("a lost connection and a server that never answers are unavailable; the next batch works", async () => {
    const slow = [statement("select pg_sleep(20)")];
    network.reset();
    const cut = database.batch(slow).catch((error: unknown) => error);
    await expect.poll(() => network.stats().statements, { interval: 5 }).toBe(1);
    network.killConnections();
    expect(await cut).toMatchObject(unavailable);
    expect(await database.batch(one)).toEqual(committed);
    network.setSilent(true);
    await expect(database.batch(one)).rejects.toMatchObject(unavailable);
    network.setSilent(false);
    expect(await database.batch(one)).toEqual(committed);
  });

  test.skipIf(!pgBouncerAvailable())(
    "through PgBouncer in transaction mode 20 clients lose nothing",
    async () => {
      const bouncer = await startPgBouncer(server.url);
      const pooled = await start(bouncer.url);
      const clients = Array.from({ length: 20 }, () => connect(pooled.url, postgresDialect));
      await database.batch([
        statement("create table counter (id int primary key, n int)"),
        statement("insert into counter values (1, 0)"),
      ]);
      const add = [statement("update counter set n = n + $1 where id = $2 returning n", 1, 1)];
      await Promise.all(clients.map((client) => client.batch(add)));
      expect(await database.batch([statement("select n from counter")])).toMatchObject({
        rows: [[{ n: 20 }]],
      });
      await Promise.all(clients.map((client) => client.close()));
      await pooled.stop();
      await bouncer.stop();
    },
  );

  test("a batch after close is unavailable; closing twice does no harm", async () => {
    const other = connect(running.url, postgresDialect);
    await other.close();
    await other.close();
    await expect(other.batch(one)).rejects.toMatchObject(unavailable);
  });
});
