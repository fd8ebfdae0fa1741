/** @module A store on a SQLite file, by what the runtime has built in, or by the driver `libsql`. */
import { sqliteDialect } from "@escapement/db/client";
import type { SqlStore } from "../stores/sql/index.ts";
import { openLater } from "./open-later.ts";
import { openSqliteFile, type Pragmas } from "./sqlite-drivers.ts";
import { invalidOptions, type SqliteStoreOptions, toStore } from "./store-options.ts";

/** Durability, waiting and migrations. */
interface SqliteOptions extends SqliteStoreOptions, Pragmas {}

/**
 * Gives a store on a file, which is made if it is missing; several processes of one machine may share it. It opens and
 * migrates with its first call, and sets write-ahead logging, `synchronous` and the wait for other writers. While a loop runs, it
 * looks each 10 ms for what other processes left, and up to 160 ms apart once there has been nothing.
 *
 * The driver is `bun:sqlite` on Bun; elsewhere the package `libsql` if it is installed, else `node:sqlite`, which Deno has, and
 * Node from 22.16 on.
 *
 * @param file path of the file, or `:memory:`
 * @throws {WorkflowError} STORE_OPTIONS_INVALID — the path is missing or is a URL; from the first call on: no driver is there
 */
export function sqlite(file: string | undefined, options: SqliteOptions = {}): SqlStore {
  if (file === undefined || file === "")
    throw invalidOptions("no file was given: is the variable that should hold its path set?");
  if (/^(?:file:|[a-z]+:\/\/)/i.test(file))
    throw invalidOptions("a path is wanted, not a URL: for a server see @escapement/engine/libsql");
  const open = () => openSqliteFile(file, options);
  return toStore(openLater({ dialect: sqliteDialect, isSerial: true, open }), options);
}
