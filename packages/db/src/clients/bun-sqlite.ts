/** @module The Batch port over `bun:sqlite`. */
import type { Database } from "../batch.ts";
import { createSqliteDatabase } from "./sqlite.ts";

/**
 * The part of `Database` of `bun:sqlite` that we use.
 *
 * @source https://bun.com/docs/runtime/sqlite (read 2026-11, of Bun 1.4.5)
 */
interface BunSqliteConnection {
  readonly inTransaction: boolean;
  prepare(text: string): { all(...parameters: never[]): unknown[] };
  exec(text: string): unknown;
  /** `true` finalizes prepared statements, which otherwise keep the file open until they are garbage-collected. */
  close(finalizes: boolean): unknown;
}

/**
 * Creates a client over one open `Database` of `bun:sqlite`; `close` closes it. Batches run synchronously. The settings of the connection
 * are yours: see `applyRecommendedPragmas` of `@escapement/db/sqlite`.
 */
export function createBunSqliteDatabase(
  connection: BunSqliteConnection,
  options?: Parameters<typeof createSqliteDatabase>[1],
): Database {
  return createSqliteDatabase(
    {
      get inTransaction() {
        return connection.inTransaction;
      },
      prepare(text) {
        const statement = connection.prepare(text);
        return { all: (parameters) => statement.all(...(parameters as never[])) };
      },
      exec: (text) => connection.exec(text),
      close: () => connection.close(true),
    },
    options,
  );
}
