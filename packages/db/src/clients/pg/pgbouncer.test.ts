import {
  createPostgresDatabase,
  pgBouncerAvailable,
  startPgBouncer,
} from "@escapement-internal/test-servers";
import type { Database, Statement } from "../../batch.ts";
import { describe, expect, test } from "vitest";
import { describeDatabaseContract } from "../../testing/index.ts";
import { batchWithRetry } from "../../retry.ts";
import { createPgDatabase } from "./index.ts";

const CLIENTS = 20;
const missing = pgBouncerAvailable() ? null : "pgbouncer is not installed";
const statement = (text: string, ...values: Statement["values"]): Statement => ({ text, values });

describeDatabaseContract({
  name: "pg through PgBouncer, transaction pooling",
  skip: missing,
  async setup() {
    const server = await createPostgresDatabase();
    const bouncer = await startPgBouncer(server.url);
    const connect = (): Database => createPgDatabase({ connectionString: bouncer.url });
    const database = connect();
    return {
      database,
      open: () => Promise.resolve(connect()),
      async teardown() {
        await database.close();
        await bouncer.stop();
        await server.drop();
      },
    };
  },
});

describe.skipIf(missing !== null)("pg through PgBouncer", () => {
  test("20 clients share 4 server connections; every batch stays whole and none is lost", async () => {
    const server = await createPostgresDatabase();
    const bouncer = await startPgBouncer(server.url, { poolSize: 4 });
    const clients = Array.from({ length: CLIENTS }, () =>
      createPgDatabase({ connectionString: bouncer.url, max: 2 }),
    );
    await clients[0]?.batch([
      statement("create table counter (id int primary key, n int)"),
      statement("insert into counter select id, 0 from generate_series(0, 2) as id"),
    ]);
    const work = async (database: Database, client: number): Promise<void> => {
      for (let time = 0; time < 10; time += 1) {
        const id = (client + time) % 3;
        const result = await batchWithRetry(database, [
          statement("update counter set n = n + 1 where id = $1", id),
          statement("select $1::int as client, txid_current() as a", client),
          statement("select txid_current() as a"),
        ]);
        // One transaction, and our own answer: no other client's statement was in between.
        const rows = result.kind === "committed" ? result.rows : [];
        expect(rows[1]).toMatchObject([{ client, a: rows[2]?.[0]?.["a"] }]);
      }
    };
    await Promise.all(clients.map(work));
    expect(
      await clients[0]?.batch([statement("select sum(n) as total from counter")]),
    ).toMatchObject({
      rows: [[{ total: CLIENTS * 10 }]],
    });
    await Promise.all(clients.map((client) => client.close()));
    await bouncer.stop();
    await server.drop();
  });

  test("a pooler that mixes prepared statements up is told of once, and no batch fails of it", async () => {
    const server = await createPostgresDatabase();
    const bouncer = await startPgBouncer(server.url, { poolSize: 3 });
    const said: unknown[] = [];
    const database = createPgDatabase({
      connectionString: bouncer.url,
      max: 8,
      onPoolerDetected: (error) => said.push(error),
    });
    const ask = async (number: number): Promise<unknown> => {
      const result = await database.batch([
        statement("select $1::int as given", number),
        statement(`select ${number % 5} as made, pg_sleep(0.002)`),
      ]);
      return result.kind === "committed"
        ? [result.rows[0]?.[0], result.rows[1]?.[0]?.["made"]]
        : [];
    };
    for (let round = 0; round < 5; round += 1) {
      const numbers = Array.from({ length: 40 }, (_none, index) => round * 40 + index);
      expect(await Promise.all(numbers.map(ask))).toEqual(
        numbers.map((given) => [{ given }, given % 5]),
      );
    }
    expect(said).toHaveLength(1);
    await database.close();
    await bouncer.stop();
    await server.drop();
  });

  test("a PgBouncer that goes away is unavailable", async () => {
    const server = await createPostgresDatabase();
    const bouncer = await startPgBouncer(server.url);
    const database = createPgDatabase({ connectionString: bouncer.url });
    expect(await database.batch([statement("select 1 as one")])).toMatchObject({
      kind: "committed",
    });
    await bouncer.stop();
    const unavailable = { code: "DATABASE_UNAVAILABLE" };
    await expect(database.batch([statement("select 1")])).rejects.toMatchObject(unavailable);
    await database.close();
    await server.drop();
  });
});
