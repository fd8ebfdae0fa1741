/**
 * @module The Batch port over Cloudflare D1's binding: `batch()` is one transaction and one request.
 *
 * Limits: 100 parameters and 100 KB of text a statement, 2 MB a text or row, 30 s a batch
 * (https://developers.cloudflare.com/d1/platform/limits/, read 2026-11).
 */
import type { Database, Row } from "../batch.ts";
import { classifySqliteError } from "../dialect/sqlite-errors.ts";
import { sqliteDialect } from "../dialect/sqlite.ts";
import { assertClientOptions } from "../client-options.ts";
import { createDatabase } from "./create-database.ts";
import { withTimeout } from "./with-timeout.ts";
import { toWorkerdStatement } from "./workerd-statement.ts";

/** A prepared statement of the binding. */
interface D1Statement {
  bind(...values: unknown[]): D1Statement;
}

/** The part of a D1 binding that we use (`env.DB`). */
export interface D1Binding {
  prepare(text: string): D1Statement;
  /**
   * A transaction: a statement that fails rolls back all of them.
   *
   * @source https://developers.cloudflare.com/d1/worker-api/d1-database/#batch (read 2026-11)
   */
  batch(statements: D1Statement[]): Promise<readonly { readonly results: unknown }[]>;
}

/** Time limits of the client. */
interface D1DatabaseOptions {
  /** How long a batch may take, in milliseconds; then it throws `DATABASE_UNAVAILABLE`. null: no limit. @default 30000 */
  readonly batchTimeoutMs?: number | null;
}

/** Creates a client over a D1 binding. It reads and writes at the primary; `close` has nothing to release. */
export function createD1Database(binding: D1Binding, options: D1DatabaseOptions = {}): Database {
  assertClientOptions(options);
  const batchTimeoutMs = options.batchTimeoutMs === undefined ? 30_000 : options.batchTimeoutMs;
  return createDatabase({
    dialect: sqliteDialect,
    isSerial: false,
    billsRows: true,
    async apply(statements) {
      const prepared = statements
        .map(toWorkerdStatement)
        .map(({ text, values }) => binding.prepare(text).bind(...values));
      const answers = await withTimeout(binding.batch(prepared), batchTimeoutMs);
      return answers.map(({ results }) => results as readonly Row[]);
    },
    classify: classifySqliteError,
    close: () => Promise.resolve(),
  });
}
