/** Transactions in which nothing can be written: none of it is, and the error says why. */
import { createEngine } from "@escapement/engine";
import { postgres } from "@escapement/engine/postgres";
import { BetterSQLiteSession } from "drizzle-orm/better-sqlite3/session";
import {
  BaseSQLiteDatabase,
  integer,
  SQLiteSyncDialect,
  sqliteTable,
  text,
} from "drizzle-orm/sqlite-core";
import Connection from "libsql";
import { afterEach, describe, expect, it } from "vitest";
import { openSqlite } from "./place.ts";
import { closeScenes, openScene, params, POSTGRES_CLIENTS } from "./scene.ts";
import { openConnection } from "./sqlite-clients.ts";
import { order } from "./workflow.ts";

afterEach(closeScenes);

const unusable = { code: "TRANSACTION_UNUSABLE", retryable: false };

describe.each(POSTGRES_CLIENTS)("S5-046 a transaction of %s", (_name, open, openClient) => {
  it("that may only read is refused as such, not as a database that is away", async () => {
    const { engine, rolledBack, status } = await openScene(open, (address) => {
      const reading = new URL(address);
      reading.searchParams.set("options", "-c default_transaction_read_only=on");
      return openClient(reading.href);
    });
    await rolledBack(async ({ tx }) => {
      const creating = engine.with(tx).workflows.ORDER.create({ id: "o-1", params });
      await expect(creating).rejects.toMatchObject({
        ...unusable,
        message: expect.stringContaining("read-only") as string,
      });
    });
    expect(await status("o-1")).toBeNull();
  });

  it("that does not see the tables says that it may be on another database or search_path", async () => {
    const { engine, rolledBack } = await openScene(open, (address) => {
      const elsewhere = new URL(address);
      elsewhere.searchParams.set("options", "-c search_path=pg_catalog");
      return openClient(elsewhere.href);
    });
    await rolledBack(async ({ tx }) => {
      const creating = engine.with(tx).workflows.ORDER.create({ params });
      await expect(creating).rejects.toMatchObject({
        code: "SCHEMA_MISMATCH",
        message: expect.stringContaining("search_path") as string,
      });
    });
  });
});

const orders = sqliteTable("orders", { id: text().primaryKey(), total: integer().notNull() });

/** What `drizzle-orm/better-sqlite3` creates, on a connection of the same shape. */
function openSyncDrizzle(address: string) {
  const connection = new Connection(address);
  const dialect = new SQLiteSyncDialect();
  const session = new BetterSQLiteSession(connection, dialect, undefined);
  return { connection, db: new BaseSQLiteDatabase("sync", dialect, session, undefined) };
}

describe("S5-046 a synchronous transaction of Drizzle, which ends before anything can be awaited in it", () => {
  it("is refused: no workflow is created beside what it has rolled back", async () => {
    const { engine, address, status, orders: placed } = await openScene(openSqlite, openConnection);
    const { connection, db } = openSyncDrizzle(address);
    let creating: Promise<unknown> = Promise.resolve();
    const rollingBack = (): void =>
      db.transaction((tx) => {
        tx.insert(orders).values({ id: "o-1", total: 10 }).run();
        creating = engine.with(tx).workflows.ORDER.create({ id: "o-1", params });
        creating.catch(() => undefined);
        tx.rollback();
      });
    expect(rollingBack).toThrow("Rollback");
    await expect(creating).rejects.toMatchObject({
      ...unusable,
      message: expect.stringContaining("begin immediate") as string,
    });
    expect([await placed(), await status("o-1")]).toEqual([[], null]);
    connection.close();
  });
});

it.each([[undefined], [null], ["begin"]])(
  "S5-046 %s in place of a transaction is refused by code",
  async (nothing) => {
    const store = postgres("postgres://nobody@127.0.0.1:1/none");
    const engine = createEngine({ workflows: { ORDER: order }, store });
    const { ORDER } = engine.with(nothing as never).workflows;
    await expect(ORDER.create({ params })).rejects.toMatchObject(unusable);
    await engine.close();
  },
);
