/** The database: Cloudflare D1. */
import { d1 } from "@escapement/engine/d1";
import type { SqlStore } from "@escapement/engine/store/sql";

/** Bindings that the database needs. */
export interface DatabaseEnv {
  readonly DB: Parameters<typeof d1>[0];
}

export const createStore = (_storage: unknown, env: DatabaseEnv): SqlStore => d1(env.DB);
