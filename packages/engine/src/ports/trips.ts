/** How often an invocation may call on the database, where a platform counts that. */
import type { Store } from "./store.ts";

/** Counts for a platform the trips of the engine that is made with it. */
export interface TripCounter {
  /** The store, of which the calls that ticks make are counted. `createEngine` calls it once. */
  count(store: Store): Store;
  /** So many trips more are made by a tick, that `count` does not know of. @default they are not counted */
  add?(trips: number): void;
  /** An invocation begins: how many it may still make, whenever that is asked. Infinity: they have no end. */
  allow(): () => number;
}
