/**
 * @module The Batch port over the SQL storage of one Durable Object, inside that object: synchronous, without any trip.
 *
 * Limits: 100 parameters and 100 KB of text per statement, 2 MB per text or row, 10 GB per object
 * (https://developers.cloudflare.com/durable-objects/platform/limits/, read 2026-11).
 */
import type { Database, Row, SqlValue } from "../batch.ts";
import { classifySqliteError } from "../dialect/sqlite-errors.ts";
import { sqliteDialect } from "../dialect/sqlite.ts";
import { createDatabase } from "./create-database.ts";
import { toWorkerdStatement } from "./workerd-statement.ts";

/** The part of `ctx.storage` of an object with SQLite storage that we use. */
interface DurableObjectSqlStorage {
  readonly sql: { exec(text: string, ...values: SqlValue[]): { toArray(): unknown[] } };
  /**
   * Runs `work` in a transaction, which is rolled back when it throws.
   *
   * @source https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/#transactionsync (read 2026-11)
   */
  transactionSync<T>(work: () => T): T;
}

/**
 * Creates a client over the storage of a Durable Object. A batch is applied at once. The platform's output gate makes sure that it is on
 * disk before anything leaves the object. `close` has nothing to release.
 */
export function createDurableObjectDatabase(storage: DurableObjectSqlStorage): Database {
  return createDatabase({
    dialect: sqliteDialect,
    isSerial: true,
    isLocal: true,
    billsRows: true,
    // Async, so that errors of the storage become rejections.
    apply: async (statements) =>
      storage.transactionSync(() =>
        statements
          .map(toWorkerdStatement)
          .map(({ text, values }) => storage.sql.exec(text, ...values).toArray() as Row[]),
      ),
    classify: classifySqliteError,
    close: () => Promise.resolve(),
  });
}
