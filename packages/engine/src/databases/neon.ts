/** @module A store on Neon, over HTTP by the driver `@neondatabase/serverless`. */
import { createNeonDatabase } from "@escapement/db/neon";
import { neon as connect } from "@neondatabase/serverless";
import type { SqlStoreOptions } from "../stores/sql/create-sql-store.ts";
import type { SqlStore } from "../stores/sql/index.ts";
import {
  assertStoreOptions,
  parseDatabaseUrl,
  STORE_OPTIONS,
  type StoreOptions,
  toStore,
} from "./store-options.ts";

/** Options of the client. */
type NeonDatabaseOptions = NonNullable<Parameters<typeof createNeonDatabase>[1]>;

/** Options of `neon`: time limits and migrations. `notify` wakes processes that listen with `postgres(url)`; over HTTP, nothing can listen. */
interface NeonOptions extends StoreOptions, NeonDatabaseOptions, Pick<SqlStoreOptions, "notify"> {}

const OPTIONS: Readonly<Record<keyof NeonOptions, 1>> = {
  ...STORE_OPTIONS,
  batchTimeoutMs: 1,
  notify: 1,
};

/**
 * Creates a store on Neon, with the package `@neondatabase/serverless`, which you install. It is for functions: each call is one HTTP
 * request, and no connection stays open.
 *
 * ```ts
 * const store = neon(process.env["DATABASE_URL"]);
 * ```
 *
 * Its first call creates or upgrades the tables (`migrations`). A batch may take 30 seconds (`batchTimeoutMs`), and an answer may have
 * 10 MB.
 *
 * @param url `postgres://user:password@host/database`
 * @throws {WorkflowError} STORE_OPTIONS_INVALID — the URL is missing or not that of a Postgres database; UNKNOWN_OPTION. Its
 *   first call: STORE_OPTIONS_INVALID — the user or password is refused; STORE_UNAVAILABLE, SCHEMA_MISMATCH
 */
export function neon(url: string | undefined, options: NeonOptions = {}): SqlStore {
  const connectionString = parseDatabaseUrl(url, ["postgres:", "postgresql:"]);
  assertStoreOptions("neon", options, OPTIONS);
  return toStore(createNeonDatabase(connect(connectionString), options), options);
}
