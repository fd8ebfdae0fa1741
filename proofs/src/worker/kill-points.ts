/** Places at which a worker kills itself, as a power cut would. */
import type { Database } from "@escapement/db";
import type { Store } from "../../../packages/engine/src/ports/store.ts";

export type Side = "before" | "during" | "after";

/**
 * `batch`: around the n-th batch that goes to the database, counted from 1. `write`: around the n-th `create` or
 * `commit` of the store, whatever else runs beside it. `body`: inside the n-th body. `during`: it has been
 * sent, and nobody knows whether it was applied.
 */
export type KillPoint =
  | { readonly at: "batch" | "write"; readonly count: number; readonly side: Side }
  | { readonly at: "body"; readonly count: number };

/** For titles and names: `batch 3 before`. */
export const describeKillPoint = (point: KillPoint): string =>
  point.at === "body" ? `in body ${point.count}` : `${point.side} ${point.at} ${point.count}`;

/** SIGKILL cannot be caught: no `finally`, no exit hook and no buffered write runs. */
export function killSelf(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

/** Counts calls and dies around the one named. */
function createKiller(
  at: "batch" | "write",
  point: KillPoint,
): <T>(call: () => Promise<T>) => Promise<T> {
  let count = 0;
  return async <T>(call: () => Promise<T>): Promise<T> => {
    count += 1;
    const side = point.at === at && point.count === count ? point.side : null;
    if (side === "before") return killSelf();
    const result = call();
    if (side === "during") {
      await new Promise((resolve) => setImmediate(resolve));
      return killSelf();
    }
    await result;
    return side === "after" ? killSelf() : result;
  };
}

export function killAroundBatch(database: Database, point: KillPoint): Database {
  const around = createKiller("batch", point);
  return {
    dialect: database.dialect,
    batch: (statements) => around(() => database.batch(statements)),
    close: () => database.close(),
  };
}

export function killAroundWrite(store: Store, point: KillPoint): Store {
  const around = createKiller("write", point);
  return {
    ...store,
    create: (instances) => around(() => store.create(instances)),
    commit: (commits) => around(() => store.commit(commits)),
  };
}
