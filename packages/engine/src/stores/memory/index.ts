/** @module The reference store: everything is in memory, and nothing survives the process. For tests, and as the model for other stores. */
import type { EpochMs } from "../../core/model/records.ts";
import type { Store } from "../../ports/store.ts";
import { openMemoryStore } from "./open.ts";
import { emptyState } from "./state.ts";

/** The clock of a store in memory. */
interface MemoryStoreOptions {
  /** The store's clock, in epoch milliseconds. @default the process clock */
  readonly now?: () => EpochMs;
}

/**
 * Creates an empty store in memory, for tests: it ends with the process, and no other process sees it. It applies each call at once, like
 * a transaction of a database.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  return openMemoryStore(emptyState(options.now ?? ((): EpochMs => Date.now())));
}
