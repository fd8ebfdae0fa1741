/** Clients of a SQLite file. */
import { createClient } from "@libsql/client";
import { drizzle } from "drizzle-orm/libsql";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { Kysely, SqliteDialect } from "kysely";
import Connection from "libsql";
import type { Client } from "./place.ts";

const orders = sqliteTable("orders", { id: text().primaryKey(), total: integer().notNull() });

/** A connection of better-sqlite3's shape. Its own `transaction` takes no function that awaits. */
export function openConnection(path: string): Client {
  const connection = new Connection(path);
  const insertOrder = async (id: string): Promise<unknown> =>
    connection.prepare("insert into orders values (?, 10)").run(id);
  return {
    async transaction(work) {
      connection.exec("begin immediate");
      try {
        await work({ tx: connection, insertOrder });
        connection.exec("commit");
      } catch (error) {
        connection.exec("rollback");
        throw error;
      }
    },
    outside: connection,
    close: () => connection.close(),
  };
}

export function openDrizzleOnSqlite(path: string): Client {
  const client = createClient({ url: `file:${path}` });
  const db = drizzle(client);
  return {
    transaction: (work) =>
      db.transaction((tx) =>
        work({ tx, insertOrder: async (id) => tx.insert(orders).values({ id, total: 10 }) }),
      ),
    outside: db,
    close: () => client.close(),
  };
}

interface Tables {
  readonly orders: { readonly id: string; readonly total: number };
}

export function openKyselyOnSqlite(path: string): Client {
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: new Connection(path) }) });
  return {
    transaction: (work) =>
      db.transaction().execute((tx) =>
        work({
          tx,
          insertOrder: (id) => tx.insertInto("orders").values({ id, total: 10 }).execute(),
        }),
      ),
    outside: db,
    close: () => db.destroy(),
  };
}
