/** @module The Batch port over `pg` (node-postgres): one pipeline, one Sync, one round trip. */
import { Pool } from "pg";
import type { Database } from "../../batch.ts";
import { PgDatabase } from "./pg-database.ts";

/** Where the connections come from: a pool of yours (`close` leaves it open), or a connection string. */
export type PgDatabaseOptions = PgConnectionOptions &
  ({ readonly pool: Pool } | { readonly connectionString: string });

export interface PgConnectionOptions {
  /** Connections at most; for a connection string only. @default 10 @minimum 1 */
  readonly max?: number;
  /** How long to wait for a connection, in milliseconds; for a connection string only. @default 10000 */
  readonly connectionTimeoutMs?: number;
  /**
   * How long a batch may take, waiting for a connection included, in milliseconds; then it throws
   * `DATABASE_UNAVAILABLE` and its connection is closed. null: no limit. @default 30000
   */
  readonly batchTimeoutMs?: number | null;
  /**
   * Prepare each text once per connection: faster, but not through a pooler in transaction mode unless it keeps track of
   * prepared statements. @default false
   */
  readonly preparedStatements?: boolean;
  /** Told of idle connections that were lost, for a log. The pool replaces them by itself. */
  readonly onConnectionError?: (error: unknown) => void;
}

/**
 * Creates a Postgres client. It connects at the first batch.
 *
 * A lost connection fails the batch in flight (`DATABASE_UNAVAILABLE`) and never the process; the next batch connects
 * anew.
 */
export function createPgDatabase(options: PgDatabaseOptions): Database {
  const supplied = "pool" in options;
  return new PgDatabase({
    pool: supplied ? options.pool : createPool(options),
    ownsPool: !supplied,
    preparedStatements: options.preparedStatements ?? false,
    batchTimeoutMs: options.batchTimeoutMs === undefined ? 30_000 : options.batchTimeoutMs,
    onConnectionError: options.onConnectionError ?? (() => undefined),
  });
}

function createPool(options: PgConnectionOptions & { readonly connectionString: string }): Pool {
  return new Pool({
    connectionString: options.connectionString,
    max: options.max ?? 10,
    connectionTimeoutMillis: options.connectionTimeoutMs ?? 10_000,
    keepAlive: true,
  });
}
