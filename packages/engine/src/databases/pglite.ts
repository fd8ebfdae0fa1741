/** @module A store on PGlite, Postgres inside the process, by `@electric-sql/pglite`. */
import { postgresDialect } from "@escapement/db/client";
import { createPgliteDatabase } from "@escapement/db/pglite";
import { PGlite } from "@electric-sql/pglite";
import type { SqlStore } from "../stores/sql/index.ts";
import { openLater } from "./open-later.ts";
import { assertStoreOptions, STORE_OPTIONS, type StoreOptions, toStore } from "./store-options.ts";

/**
 * Creates a store on PGlite, with the package `@electric-sql/pglite`, which you install: `pglite("./data")`. Its first call opens PGlite
 * and creates or upgrades the tables (`migrations`). Closing the store closes PGlite.
 *
 * @param dataDir where PGlite keeps its files: a folder, or `idb://name` in browsers. @default memory
 */
export function pglite(dataDir?: string, options: StoreOptions = {}): SqlStore {
  assertStoreOptions("pglite", options, STORE_OPTIONS);
  const open = async () => createPgliteDatabase(await PGlite.create(dataDir));
  return toStore(openLater({ dialect: postgresDialect, isSerial: false, open }), options);
}
