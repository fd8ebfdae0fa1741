/** @module A store on Postgres, by the driver `pg`. */
import { createPgDatabase } from "@escapement/db/pg";
import type { SqlStoreOptions } from "../stores/sql/create-sql-store.ts";
import type { SqlStore } from "../stores/sql/index.ts";
import {
  assertStoreOptions,
  parseDatabaseUrl,
  STORE_OPTIONS,
  type StoreOptions,
  toStore,
} from "./store-options.ts";

/** Options of the client besides the URL. */
type PgDatabaseOptions = Extract<
  Parameters<typeof createPgDatabase>[0],
  { readonly connectionString: string }
>;

/** Options of `postgres`: connections, time limits, migrations, and whether processes wake each other. */
interface PostgresOptions
  extends
    StoreOptions,
    Omit<PgDatabaseOptions, "connectionString">,
    Pick<SqlStoreOptions, "notify"> {}

const OPTIONS: Readonly<Record<keyof PostgresOptions, 1>> = {
  ...STORE_OPTIONS,
  max: 1,
  connectionTimeoutMs: 1,
  idleTimeoutMs: 1,
  batchTimeoutMs: 1,
  preparedStatements: 1,
  lockTimeoutMs: 1,
  transactionTimeoutMs: 1,
  onSettingsRefused: 1,
  onPoolerDetected: 1,
  onConnectionError: 1,
  notify: 1,
};

/**
 * Creates a store on Postgres 14 and newer, with the package `pg`, which you install.
 *
 * ```ts
 * const store = postgres(process.env["DATABASE_URL"], { max: 5, notify: true });
 * ```
 *
 * Its first call connects, and creates or upgrades the tables (`migrations`). It keeps up to 10 connections (`max`), and one more with
 * `notify`; a batch may take 30 seconds (`batchTimeoutMs`). Closing the store ends its connections.
 *
 * @param url `postgres://user:password@host:5432/database`, or `postgres://user@/database?host=/folder` for a socket
 * @throws {WorkflowError} STORE_OPTIONS_INVALID — the URL is missing or not that of a Postgres database; UNKNOWN_OPTION. Its
 *   first call: STORE_UNAVAILABLE, SCHEMA_MISMATCH
 */
export function postgres(url: string | undefined, options: PostgresOptions = {}): SqlStore {
  const connectionString = parseDatabaseUrl(url, ["postgres:", "postgresql:"]);
  assertStoreOptions("postgres", options, OPTIONS);
  return toStore(createPgDatabase({ ...options, connectionString }), options);
}
