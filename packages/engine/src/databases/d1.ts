/** @module A store on Cloudflare D1. */
import { createD1Database, type D1Binding } from "@escapement/db/d1";
import type { SqlStore } from "../stores/sql/index.ts";
import {
  assertStoreOptions,
  SQLITE_STORE_OPTIONS,
  type SqliteStoreOptions,
  toStore,
} from "./store-options.ts";

/** Options of the client. */
type D1DatabaseOptions = NonNullable<Parameters<typeof createD1Database>[1]>;

/** Time limits and migrations. */
interface D1Options extends SqliteStoreOptions, D1DatabaseOptions {}

const OPTIONS: Readonly<Record<keyof D1Options, 1>> = {
  ...SQLITE_STORE_OPTIONS,
  batchTimeoutMs: 1,
};

/** Creates a store on a D1 binding, for example `d1(env.DB)`. Its first call migrates the tables. */
export function d1(binding: D1Binding, options: D1Options = {}): SqlStore {
  assertStoreOptions("d1", options, OPTIONS);
  return toStore(createD1Database(binding, options), options);
}
