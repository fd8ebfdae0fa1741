/** How often an invocation may call the database, on platforms that limit it. */
import type { Store } from "./store.ts";

/** Counts the trips of an engine for its platform. */
export interface TripCounter {
  /** Wraps the store so that the calls of ticks are counted. `createEngine` calls it once. */
  count(store: Store): Store;
  /** Adds trips of a tick that `count` does not see. @default they are not counted */
  add?(trips: number): void;
  /** Called when an invocation begins. Returns a function that says how many trips are left; Infinity: no limit. */
  allow(): () => number;
}
