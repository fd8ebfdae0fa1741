/** @module A store in the SQL storage of a Cloudflare Durable Object. */
import { createDurableObjectDatabase } from "@escapement/db/durable-object";
import type { SqlStore } from "../stores/sql/index.ts";
import {
  assertStoreOptions,
  SQLITE_STORE_OPTIONS,
  type SqliteStoreOptions,
  toStore,
} from "./store-options.ts";

/**
 * Creates a store in the storage of the object: `durableObject(this.ctx.storage)`. No call leaves the object. Its first call
 * migrates the tables.
 */
export function durableObject(
  storage: Parameters<typeof createDurableObjectDatabase>[0],
  options: SqliteStoreOptions = {},
): SqlStore {
  assertStoreOptions("durableObject", options, SQLITE_STORE_OPTIONS);
  return toStore(createDurableObjectDatabase(storage), options);
}
