/** What only Postgres can show: a check that others wait for (defect 14), and lost connections (defect 23). */
import pg from "pg";
import { createPostgresDatabase, type TestDatabase } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import { collectMutations } from "./collect-mutations.ts";
import { createFragnoAdapter, type FragnoAdapter } from "./adapter.ts";
import { query } from "./testing/databases.ts";
import { openShop, shopSchema } from "./testing/shop.ts";

describe("two connections to Postgres", () => {
  let server: TestDatabase;
  let database: Database;
  let adapter: FragnoAdapter;
  let shop: Awaited<ReturnType<typeof openShop>>;
  let other: pg.Client;

  beforeAll(async () => {
    server = await createPostgresDatabase();
    database = createPgDatabase({ connectionString: server.url });
    adapter = createFragnoAdapter({ database });
    shop = await openShop(adapter);
    other = new pg.Client({ connectionString: server.url });
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await database.close();
    await server.drop();
  });

  const db = () => shop.$internal.deps.db;

  /** Waits until this many statements of the database wait for a lock. */
  async function untilWaiting(count: number): Promise<readonly number[]> {
    for (;;) {
      const waiting = await query(
        database,
        `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      if (waiting.length >= count) return waiting.map(({ pid }) => Number(pid));
    }
  }

  test("fragno defect 14: others wait to change a row that was checked until the transaction is committed", async () => {
    const id = await db().create("customer", { name: "Ann" });
    const { statements } = collectMutations(adapter, ({ forSchema }) => {
      forSchema(shopSchema).check("customer", id);
    });
    await other.query("begin");
    for (const { text, values } of statements) await other.query(text, [...values]);
    let changed = false;
    const change = db()
      .update("customer", id, (b) => b.set({ points: 1 }))
      .then(() => {
        changed = true;
      });
    await untilWaiting(1);
    expect(changed).toBe(false);
    await other.query("commit");
    await change;
    expect(changed).toBe(true);
  });

  test("fragno defect 23: S2-011 a connection lost inside a transaction fails that transaction, with its own error, and nothing else", async () => {
    const id = await db().create("customer", { name: "Locked" });
    await other.query("begin");
    await other.query(`select 1 from "customer_shop" where "id" = $1 for update`, [id.externalId]);
    const update = db()
      .update("customer", id, (b) => b.set({ points: 1 }))
      .catch((error: unknown) => error);
    const [pid] = await untilWaiting(1);
    await other.query("select pg_terminate_backend($1)", [pid]);
    expect(await update).toMatchObject({
      code: "DATABASE_UNAVAILABLE",
      cause: { code: "57P01" },
    });
    await other.query("rollback");
    await db().update("customer", id, (b) => b.set({ points: 2 }));
    const found = await db().findFirst("customer", (b) =>
      b.whereIndex("primary", (eb) => eb("id", "=", id)),
    );
    expect(found?.points).toBe(2);
  });
});
