/** @module A store on a SQLite file, with the driver that the runtime has built in, or with `libsql`. */
import { sqliteDialect } from "@escapement/db/client";
import { assertOneOf, invalidOptions } from "../stores/sql/create-sql-store.ts";
import type { SqlStore } from "../stores/sql/index.ts";
import { openLater } from "./open-later.ts";
import { openSqliteFile, type Pragmas } from "./sqlite-drivers.ts";
import {
  assertStoreOptions,
  SQLITE_STORE_OPTIONS,
  type SqliteStoreOptions,
  toStore,
} from "./store-options.ts";

/** Options of `sqlite`: durability, the wait for other writers, migrations. */
interface SqliteOptions extends SqliteStoreOptions, Pragmas {}

const OPTIONS: Readonly<Record<keyof SqliteOptions, 1>> = {
  ...SQLITE_STORE_OPTIONS,
  busyTimeoutMs: 1,
  synchronous: 1,
};

/**
 * Creates a store on a file, which is created if it is missing. Several processes of one machine can share it.
 *
 * ```ts
 * const store = sqlite("data.db");
 * ```
 *
 * Its first call opens the file, creates or upgrades the tables, and sets write-ahead logging, `synchronous` (`"FULL"`: a commit survives power
 * loss) and the wait for other writers (`busyTimeoutMs`, 2000). While a loop runs, it checks every 10 ms for work of other processes, and less often, up to every 160 ms,
 * while there is none.
 *
 * The driver is `bun:sqlite` on Bun. Elsewhere it is the package `libsql` if that is installed, and otherwise `node:sqlite`,
 * which Deno has, and Node from 22.16 on.
 *
 * @param file path of the file, or `:memory:`
 * @throws {WorkflowError} STORE_OPTIONS_INVALID — the path is missing or is a URL; UNKNOWN_OPTION. Its first call:
 *   STORE_OPTIONS_INVALID — there is no driver; STORE_UNAVAILABLE — the folder does not exist, or the file cannot be opened;
 *   SCHEMA_MISMATCH
 */
export function sqlite(file: string | undefined, options: SqliteOptions = {}): SqlStore {
  if (file === undefined || file === "")
    throw invalidOptions("no file was given; is the environment variable with its path set?");
  if (/^(?:file:|[a-z]+:\/\/)/i.test(file))
    throw invalidOptions(
      "expected a path, not a URL; for a server use postgres(url) or libsql(url)",
    );
  assertStoreOptions("sqlite", options, OPTIONS);
  assertOneOf("synchronous", options.synchronous, ["FULL", "NORMAL"]);
  const open = () => openSqliteFile(file, options);
  return toStore(openLater({ dialect: sqliteDialect, isSerial: true, open }), options);
}
