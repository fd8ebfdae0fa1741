/** Trips to the database, counted: some platforms let an invocation make so many and no more. */
import type { Commit } from "../core/model/change.ts";
import type { TripAllowance } from "../ports/platform.ts";
import type { Store } from "../ports/store.ts";

export interface Trips {
  /** The store, whose calls are counted. */
  readonly store: Store;
  /** What is left of an allowance since it was first asked about. Infinity: it has no end. */
  readonly leftOf: (allowance: TripAllowance | undefined) => number;
}

/** Each call of a store is a trip, but that commits with writes of other tables are made one by one. */
export function countTrips(store: Store): Trips {
  if (store.isLocal === true) return { store, leftOf: () => Infinity };
  const madeBefore = new WeakMap<TripAllowance, number>();
  let made = 0;
  const counted = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...parameters: readonly unknown[]): unknown => {
        made += name === "commit" ? tripsOf(parameters[0] as readonly Commit[]) : 1;
        return Reflect.apply(member, target, parameters);
      };
    },
  });
  return {
    store: counted,
    leftOf: (allowance) => {
      if (allowance === undefined) return Infinity;
      const before = madeBefore.get(allowance) ?? made;
      madeBefore.set(allowance, before);
      return allowance.maxTrips - (made - before);
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
