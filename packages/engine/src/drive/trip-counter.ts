/** Counts trips to the database, because some platforms limit them per invocation. */
import type { Commit } from "../core/model/change.ts";
import type { Store } from "../ports/store.ts";
import type { TripCounter } from "../ports/trips.ts";

/** The calls of ticks. Other calls are made for requests, which are invocations of their own. */
const OF_TICKS = /^(claim|commit|load(Steps|Events))$/;

/**
 * Counts each call that ticks make. Commits with writes to other tables are made one by one, so each of them counts. Calls that
 * never leave the process are not counted.
 *
 * @param maxTrips of an invocation @minimum 10
 */
export function createTripCounter(maxTrips: number): TripCounter {
  let made = 0;
  let isLocal = false;
  const countCalls = (store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as (...parameters: readonly unknown[]) => unknown;
        if (!OF_TICKS.test(String(name))) return member;
        return (...parameters: readonly unknown[]): unknown => {
          made += name === "commit" ? tripsOf(parameters[0] as readonly Commit[]) : 1;
          return Reflect.apply(member, target, parameters);
        };
      },
    });
  return {
    count: (store) => {
      isLocal = store.isLocal === true;
      return isLocal ? store : countCalls(store);
    },
    add: (trips) => {
      made += trips;
    },
    allow: () => {
      const before = made;
      return () => (isLocal ? Infinity : maxTrips - (made - before));
    },
  };
}

/** The trips of commits: those that share a trip count as one. */
const tripsOf = (commits: readonly Commit[]): number =>
  new Set(
    commits.map((commit) =>
      commit.changes.some(({ kind }) => kind === "otherTables") ? commit : null,
    ),
  ).size;
