/** Trips to the database, counted: some platforms let an invocation make so many and no more. */
import type { Commit } from "../core/model/change.ts";
import type { TripAllowance } from "../ports/trip-allowance.ts";
import type { Store } from "../ports/store.ts";

export interface Trips {
  /** The store, of which the calls that ticks make are counted. */
  readonly store: Store;
  /** Tells what is left of an allowance, counted from when it was first named. Infinity: it has no end. */
  readonly leftOf: (allowance: TripAllowance | undefined) => () => number;
}

/** Other calls are made for requests, which are invocations of their own. */
const OF_TICKS = /^(claim|commit|load(Steps|Events))$/;

/** Each call that ticks make is a trip, but that commits with writes of other tables are made one by one. */
export function countTrips(store: Store): Trips {
  if (store.isLocal === true) return { store, leftOf: () => () => Infinity };
  const madeBefore = new WeakMap<TripAllowance, number>();
  let made = 0;
  const counted = new Proxy(store, {
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
    store: counted,
    leftOf: (allowance) => {
      if (allowance === undefined) return () => Infinity;
      const before = madeBefore.get(allowance) ?? made;
      madeBefore.set(allowance, before);
      return () => allowance.maxTrips - (made - before);
    },
  };
}

/** Those that share a trip count as one. */
const tripsOf = (commits: readonly Commit[]): number =>
  new Set(
    commits.map((commit) =>
      commit.changes.some(({ kind }) => kind === "otherTables") ? commit : null,
    ),
  ).size;
