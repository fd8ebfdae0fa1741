/** @module The Batch port over `pg` (node-postgres): one pipeline, one Sync, one round trip. */
import { Pool } from "pg";
import type { Database } from "../../batch.ts";
import { assertClientOptions } from "../../client-options.ts";
import type { ConnectTimeouts } from "./connect-patience.ts";
import { PgDatabase } from "./pg-database.ts";

/** Where the connections come from: your own pool (`close` leaves it open), or a connection string. */
type PgDatabaseOptions = PgConnectionOptions &
  ({ readonly pool: Pool } | { readonly connectionString: string });

/** Connections and time limits of the client. */
interface PgConnectionOptions {
  /** The most connections; only with a connection string. @default 10 @minimum 1 */
  readonly max?: number;
  /**
   * How long to wait for a connection, in milliseconds; only with a connection string.
   *
   * @default 10000; for a database that has not answered this client for four minutes, and so may be asleep, 40000, or
   *   `batchTimeoutMs` if you set that and it is less: Aurora takes 15 to 30 seconds to wake
   */
  readonly connectionTimeoutMs?: number;
  /**
   * How long an unused connection stays open, in milliseconds; only with a connection string. The server is told to end it after
   * twice that time, because this process may be frozen, and an open connection keeps a database awake. null: it stays open.
   * @default 10000
   */
  readonly idleTimeoutMs?: number | null;
  /**
   * How long a batch may take, including the wait for a connection, in milliseconds; then it throws `DATABASE_UNAVAILABLE` and its
   * connection is closed. With a connection string, the time to connect to a database that may be asleep does not count:
   * `connectionTimeoutMs` bounds it. null: no limit. @default 30000
   */
  readonly batchTimeoutMs?: number | null;
  /**
   * Prepare each text once per connection: up to twice as fast. A pooler may give each transaction another server without tracking
   * prepared statements (PgBouncer before 1.21). Then the first batch that it mixes up is repeated without them, and so is
   * everything after it.
   * @default true
   */
  readonly preparedStatements?: boolean;
  /**
   * How long a batch waits for a row that another transaction has locked, in milliseconds; then it is a conflict, `locked`. null:
   * as long as it takes. @default 5000
   */
  readonly lockTimeoutMs?: number | null;
  /**
   * How long the server lets a batch hold its rows, in milliseconds, even if the network died in the middle of it and the server does not
   * know; then it ends the connection. null: no limit.
   * @default 25000, or `batchTimeoutMs` if that is less; null if that is null
   */
  readonly transactionTimeoutMs?: number | null;
  /** Called once if a server refuses our settings, for a log: half-open connections may hold rows for long there. */
  readonly onSettingsRefused?: (error: unknown) => void;
  /** Called once if a pooler mixes up prepared statements, for a log. @default a warning of the process */
  readonly onPoolerDetected?: (error: unknown) => void;
  /** Called when idle connections are lost, for a log. The pool replaces them by itself. */
  readonly onConnectionError?: (error: unknown) => void;
}

/**
 * Creates a Postgres client, on a pool of its own or on yours: `createPgDatabase({ connectionString })`, `createPgDatabase({ pool })`. It
 * connects at the first batch.
 *
 * A lost connection fails the batch in flight (`DATABASE_UNAVAILABLE`) and never the process; the next batch connects again.
 */
export function createPgDatabase(options: PgDatabaseOptions): Database {
  assertClientOptions(options);
  const supplied = "pool" in options;
  const batchTimeoutMs = options.batchTimeoutMs === undefined ? 30_000 : options.batchTimeoutMs;
  const idleTimeoutMs = options.idleTimeoutMs === undefined ? 10_000 : options.idleTimeoutMs;
  return new PgDatabase({
    pool: supplied ? options.pool : createPool(options, idleTimeoutMs),
    ownsPool: !supplied,
    preparedStatements: options.preparedStatements ?? true,
    batchTimeoutMs,
    connectTimeouts: supplied ? null : connectTimeouts(options),
    limits: {
      lockTimeoutMs: options.lockTimeoutMs === undefined ? 5000 : options.lockTimeoutMs,
      transactionTimeoutMs:
        options.transactionTimeoutMs === undefined
          ? longestTransactionMs(batchTimeoutMs)
          : options.transactionTimeoutMs,
      idleSessionTimeoutMs: supplied || idleTimeoutMs === null ? null : idleTimeoutMs * 2,
    },
    onSettingsRefused: options.onSettingsRefused ?? warnOfSettings,
    onPoolerDetected: options.onPoolerDetected ?? warnOfPooler,
    onConnectionError: options.onConnectionError ?? (() => undefined),
  });
}

const longestTransactionMs = (batchTimeoutMs: number | null): number | null =>
  batchTimeoutMs === null ? null : Math.min(batchTimeoutMs, 25_000);

const warn = (text: string, error: unknown): void =>
  process.emitWarning(`${text}: ${String(error)}`, "EscapementWarning");

const warnOfSettings = (error: unknown): void =>
  warn("Postgres refuses the settings that free rows of half-open connections", error);

const warnOfPooler = (error: unknown): void =>
  warn(
    "Postgres is behind a pooler that does not keep track of prepared statements, so they are off from now on; set `preparedStatements: false` to begin without them, or use PgBouncer 1.21 or newer",
    error,
  );

function connectTimeouts(options: PgConnectionOptions): ConnectTimeouts {
  const { connectionTimeoutMs, batchTimeoutMs } = options;
  if (connectionTimeoutMs !== undefined) {
    return { awakeMs: connectionTimeoutMs, asleepMs: connectionTimeoutMs };
  }
  return { awakeMs: 10_000, asleepMs: Math.min(40_000, batchTimeoutMs ?? 40_000) };
}

/** The time limit for a connection is set each time. */
function createPool(
  { connectionString, max = 10 }: PgConnectionOptions & { readonly connectionString: string },
  idleTimeoutMs: number | null,
): Pool {
  return new Pool({
    connectionString,
    max,
    idleTimeoutMillis: idleTimeoutMs ?? 0,
    keepAlive: true,
  });
}
