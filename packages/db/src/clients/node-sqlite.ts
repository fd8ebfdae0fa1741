/** @module The Batch port over `node:sqlite`: Node 22.16 and newer, Deno. */
import type { Database } from "../batch.ts";
import { createSqliteDatabase } from "./sqlite.ts";
import { readsAllColumns } from "./sqlite-rows.ts";

/**
 * The part of `DatabaseSync` that we use.
 *
 * @source https://nodejs.org/api/sqlite.html (read 2026-11): without a flag since 22.13, `isTransaction` since 22.16,
 *   a release candidate since 24.15
 */
interface NodeSqliteConnection {
  readonly isTransaction: boolean;
  prepare(text: string): { all(...parameters: never[]): unknown[] };
  exec(text: string): unknown;
  close(): unknown;
}

/**
 * Creates a client over one open `DatabaseSync`; `close` closes it. Batches run synchronously. The settings of the connection are
 * yours: see `applyRecommendedPragmas` of `@escapement/db/sqlite`.
 */
export function createNodeSqliteDatabase(
  connection: NodeSqliteConnection,
  options?: Parameters<typeof createSqliteDatabase>[1],
): Database {
  return createSqliteDatabase(
    {
      get inTransaction() {
        return connection.isTransaction;
      },
      prepare(text) {
        const statement = connection.prepare(text);
        // Deno 2.9.6 keeps the column names that the table had when the statement was prepared.
        const keepsNames = !readsAllColumns(text);
        return {
          all(parameters) {
            const fresh = keepsNames ? statement : connection.prepare(text);
            return fresh.all(...(parameters as never[]));
          },
        };
      },
      exec: (text) => connection.exec(text),
      close: () => connection.close(),
    },
    options,
  );
}
