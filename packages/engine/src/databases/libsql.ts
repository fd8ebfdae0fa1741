/** @module A store on Turso or another libSQL server, by the driver `@libsql/client`. */
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { type Client, createClient } from "@libsql/client/web";
import type { SqlStore } from "../stores/sql/index.ts";
import { invalidOptions } from "../stores/sql/create-sql-store.ts";
import {
  assertStoreOptions,
  parseDatabaseUrl,
  SQLITE_STORE_OPTIONS,
  type SqliteStoreOptions,
  toStore,
} from "./store-options.ts";

/** Options of the client. */
type LibsqlDatabaseOptions = NonNullable<Parameters<typeof createLibsqlDatabase>[1]>;

/** Options of `libsql`: the token, time limits, migrations. */
interface LibsqlOptions extends SqliteStoreOptions, LibsqlDatabaseOptions {
  /** The database's token. @default none */
  readonly authToken?: string | undefined;
}

const OPTIONS: Readonly<Record<keyof LibsqlOptions, 1>> = {
  ...SQLITE_STORE_OPTIONS,
  batchTimeoutMs: 1,
  authToken: 1,
};

/**
 * Creates a store on Turso or another libSQL server, with the package `@libsql/client`, which you install. It uses only Web APIs, so it
 * also runs in functions and at the edge.
 *
 * ```ts
 * const store = libsql(process.env["DATABASE_URL"], { authToken: process.env["DATABASE_TOKEN"] });
 * ```
 *
 * Its first call creates or upgrades the tables (`migrations`). A batch may take 30 seconds (`batchTimeoutMs`). For a file, use `sqlite`
 * of `@escapement/engine/sqlite`.
 *
 * @param url `libsql://`, `https://` or `http://`: one request per call; `wss://` or `ws://`: one connection
 * @throws {WorkflowError} STORE_OPTIONS_INVALID — the URL is missing or not that of a server; UNKNOWN_OPTION. Its first call:
 *   STORE_OPTIONS_INVALID — the token is refused; STORE_UNAVAILABLE, SCHEMA_MISMATCH
 */
export function libsql(url: string | undefined, options: LibsqlOptions = {}): SqlStore {
  const parsed = parseDatabaseUrl(url, ["libsql:", "https:", "http:", "wss:", "ws:"]);
  assertStoreOptions("libsql", options, OPTIONS);
  return toStore(createLibsqlDatabase(connect(parsed, options.authToken), options), options);
}

function connect(url: string, authToken: string | undefined): Client {
  try {
    return createClient(authToken === undefined ? { url } : { url, authToken });
  } catch {
    // Not kept as the cause, because it may repeat the URL.
    throw invalidOptions("the client of libSQL refuses the URL");
  }
}
