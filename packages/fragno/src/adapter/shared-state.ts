/** State that adapters on one `Database` share, so that fragments compose whichever adapter object they use. */
import type { Database } from "@escapement/db";
import type { Executing } from "./executor.ts";
import { FiledHooks } from "./hooks/filed-hooks.ts";
import type { Compiler } from "./internals.ts";
import { Namespaces } from "./namespaces.ts";
import { RequestStorage } from "./request-storage.ts";

export interface SharedState {
  readonly namespaces: Namespaces;
  readonly storage: RequestStorage;
  readonly filed: FiledHooks;
}

/** The insides of an adapter of ours. */
export interface AdapterInsides extends SharedState {
  readonly executing: Executing;
  readonly compiler: Compiler;
}

const states = new WeakMap<Database, SharedState>();

/** The state of a database, created at the first call. */
export function sharedStateOf(database: Database): SharedState {
  const known = states.get(database);
  if (known !== undefined) return known;
  const state = {
    namespaces: new Namespaces(),
    storage: new RequestStorage(),
    filed: new FiledHooks(),
  };
  states.set(database, state);
  return state;
}
