/** A database with the workflow tables and the application's own, and a client that has transactions on it. */
import { createPostgresDatabase, temporaryDirectory } from "@escapement-internal/test-servers";
import type { CallersTransaction } from "@escapement/engine";
import { postgres } from "@escapement/engine/postgres";
import { sqlite } from "@escapement/engine/sqlite";
import type { SqlStore } from "@escapement/engine/store/sql";
import type { Row } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import Connection from "libsql";

/** What is done in a transaction. */
export interface Inside {
  readonly tx: CallersTransaction;
  /** The application's own row, by its own client. */
  insertOrder(id: string): Promise<unknown>;
}

/** One client. */
export interface Client {
  /** Commits when `work` returns, and rolls back when it throws. */
  transaction(work: (inside: Inside) => Promise<void>): Promise<unknown>;
  /** What is no transaction: the pool, or the instance that begins them. */
  readonly outside: object;
  close(): unknown;
}

/** Where the client is. */
export interface Place {
  /** Connection string, or path of the file. */
  readonly address: string;
  readonly store: SqlStore;
  query(text: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** The table of every test here. */
const ORDERS = "create table orders (id text primary key, total integer not null)";

/** An empty database on Postgres. */
export async function openPostgres(): Promise<Place> {
  const { url, drop } = await createPostgresDatabase();
  const database = createPgDatabase({ connectionString: url, max: 1 });
  const store = postgres(url, { max: 2, logger: { log: () => undefined } });
  const query = async (text: string): Promise<readonly Row[]> => {
    const result = await database.batch([{ text, values: [] }]);
    if (result.kind !== "committed") throw new Error(`batch: ${result.kind}`);
    return result.rows[0] ?? [];
  };
  await query(ORDERS);
  const close = async (): Promise<void> => {
    await Promise.all([store.close(), database.close()]);
    await drop();
  };
  return { address: url, store, query, close };
}

/** An empty file, with its tables made. */
export async function openSqlite(): Promise<Place> {
  const directory = temporaryDirectory();
  const address = `${directory.path}/data.db`;
  const store = sqlite(address);
  await store.migrate();
  const connection = new Connection(address);
  connection.exec(ORDERS);
  return {
    address,
    store,
    async query(text) {
      const statement = connection.prepare(text);
      if (statement.reader) return statement.all([]) as Row[];
      statement.run([]);
      return [];
    },
    close: async () => {
      connection.close();
      await store.close();
      directory.remove();
    },
  };
}
