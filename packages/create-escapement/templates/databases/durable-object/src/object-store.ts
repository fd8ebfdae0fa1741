/** The database: the Durable Object's own storage. */
import { durableObject } from "@escapement/engine/durable-object";
import type { SqlStore } from "@escapement/engine/store/sql";

type Storage = Parameters<typeof durableObject>[0];

/** Bindings that the database needs: none. */
export type DatabaseEnv = object;

export const createStore = (storage: Storage, _env: DatabaseEnv): SqlStore =>
  durableObject(storage);
