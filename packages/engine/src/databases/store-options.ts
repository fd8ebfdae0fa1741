/** Options that all functions which create a store have in common. */
import type { Database } from "@escapement/db";
import { findUnusableOption } from "@escapement/db/client";
import { assertKnownOptions } from "../core/known-names.ts";
import type { Logger } from "../ports/logger.ts";
import {
  createSqlStore,
  invalidOptions,
  type SqlStore,
  type SqlStoreOptions,
} from "../stores/sql/create-sql-store.ts";
import type { Migrations } from "../stores/sql/migrate-first.ts";

/** Options of every function that creates a store. */
export interface StoreOptions {
  /**
   * What to do about the tables before the first statement of a process.
   *
   * `auto`: create or upgrade them; safe in many processes at once, and one trip if they are current. `check`: one trip, and
   * `SCHEMA_MISMATCH` if they are older or newer than the code; for databases whose tables only `store.migrate()` in a
   * deployment may change. `none`: no trip, for functions that would pay for it at every cold start; if tables are missing,
   * the first statement that needs them throws `SCHEMA_MISMATCH`.
   *
   * @default "auto"
   */
  readonly migrations?: Migrations;
  /** Logs settings that lose commits, after a migration. @default JSON lines on the console */
  readonly logger?: Logger;
}

/** Options of stores on SQLite and compatible databases. */
export interface SqliteStoreOptions extends StoreOptions, Pick<SqlStoreOptions, "indexes"> {}

/** Names of the options of every store, and of those on SQLite and compatible databases. */
export const STORE_OPTIONS: Readonly<Record<keyof StoreOptions, 1>> = { migrations: 1, logger: 1 };
export const SQLITE_STORE_OPTIONS: Readonly<Record<keyof SqliteStoreOptions, 1>> = {
  ...STORE_OPTIONS,
  indexes: 1,
};

/** @param of the function that takes the options @throws {WorkflowError} UNKNOWN_OPTION, STORE_OPTIONS_INVALID */
export function assertStoreOptions<TOptions extends StoreOptions>(
  of: string,
  options: TOptions,
  known: Readonly<Record<keyof TOptions, 1>>,
): void {
  assertKnownOptions(of, options, known);
  const message = findUnusableOption(options);
  if (message !== null) throw invalidOptions(message);
}

/** Creates the store. It handles `migrations` before its first statement. */
export function toStore(
  database: Database,
  options: SqliteStoreOptions & Pick<SqlStoreOptions, "notify">,
): SqlStore {
  const { migrations = "auto", logger, indexes, notify } = options;
  return createSqlStore({
    database,
    migrations,
    ...(logger === undefined ? {} : { logger }),
    ...(indexes === undefined ? {} : { indexes }),
    ...(notify === undefined ? {} : { notify }),
  });
}

/**
 * Checks the URL of a database. Errors do not repeat it, because it may contain a password.
 *
 * @param protocols with their colons
 * @throws {WorkflowError} STORE_OPTIONS_INVALID
 */
export function parseDatabaseUrl(url: string | undefined, protocols: readonly string[]): string {
  if (url === undefined || url === "")
    throw invalidOptions("no URL was given; is its environment variable set?");
  const { protocol, host, searchParams } = toUrl(url, protocols);
  if (!protocols.includes(protocol)) throw invalidOptions(`the URL must ${beginWith(protocols)}`);
  if (host === "" && !searchParams.has("host")) throw invalidOptions("the URL has no host");
  return url;
}

const beginWith = (protocols: readonly string[]): string =>
  `begin with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`;

function toUrl(url: string, protocols: readonly string[]): URL {
  try {
    // A URL cannot have a user without a host, but that is common if `?host=` names the folder of a socket.
    return new URL(url.replace("@/", "@socket/"));
  } catch {
    // Not kept as the cause, because it repeats the URL.
    throw invalidOptions(
      `the URL cannot be read: it must ${beginWith(protocols)}, and special characters in its password must be percent-encoded`,
    );
  }
}
