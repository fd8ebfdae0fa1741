/** @module A store on PGlite, Postgres inside the process, by `@electric-sql/pglite`. */
import { postgresDialect } from "@escapement/db/client";
import { createPgliteDatabase } from "@escapement/db/pglite";
import { PGlite } from "@electric-sql/pglite";
import type { SqlStore } from "../stores/sql/index.ts";
import { openLater } from "./open-later.ts";
import { type StoreOptions, toStore } from "./store-options.ts";

/**
 * Gives a store on PGlite. It opens and migrates with its first call; closing it closes PGlite.
 *
 * @param dataDir where it keeps its files, in PGlite's own words: a folder, `idb://name` in browsers. @default memory
 */
export function pglite(dataDir?: string, options: StoreOptions = {}): SqlStore {
  const open = async () => createPgliteDatabase(await PGlite.create(dataDir));
  return toStore(openLater({ dialect: postgresDialect, isSerial: false, open }), options);
}
