/** The clients of Postgres, each with its own way to begin a transaction and to insert a row. */
import { drizzle } from "drizzle-orm/node-postgres";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { CamelCasePlugin, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Client } from "./place.ts";
import { openPrisma } from "./prisma.ts";

const orders = pgTable("orders", { id: text().primaryKey(), total: integer().notNull() });

export function openPg(connectionString: string): Client {
  const pool = new pg.Pool({ connectionString });
  return {
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const insertOrder = (id: string): Promise<unknown> =>
          client.query("insert into orders values ($1, 10)", [id]);
        await work({ tx: client, insertOrder });
        await client.query("commit");
      } catch (error) {
        await client.query("rollback");
        throw error;
      } finally {
        client.release();
      }
    },
    outside: pool,
    close: () => pool.end(),
  };
}

export function openDrizzle(connectionString: string): Client {
  const db = drizzle(connectionString);
  return {
    transaction: (work) =>
      db.transaction((tx) =>
        work({ tx, insertOrder: async (id) => tx.insert(orders).values({ id, total: 10 }) }),
      ),
    outside: db,
    close: () => db.$client.end(),
  };
}

interface Tables {
  readonly orders: { readonly id: string; readonly total: number };
}

export function openKysely(connectionString: string): Client {
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString }) }),
    // Renames what it is given, but not what the engine asks for.
    plugins: [new CamelCasePlugin()],
  });
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

export function openPrismaClient(connectionString: string): Client {
  const prisma = openPrisma(connectionString);
  return {
    transaction: (work) =>
      prisma.$transaction((tx) =>
        work({ tx, insertOrder: (id) => tx.orders.create({ data: { id, total: 10 } }) }),
      ),
    outside: prisma,
    close: () => prisma.$disconnect(),
  };
}
