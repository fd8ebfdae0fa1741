/** Stores whose work can be told by processor time, with a clock that only the benchmark moves. */
import type { Database } from "@escapement/db";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { createFakeTime, type HarnessOptions, withVirtualClock } from "@escapement/engine/testing";
import { openStage } from "../measure-store.ts";
import type { StoreName } from "../metrics.ts";
import { createServerClock, ownMs, type ProcessorClock } from "../processor-time.ts";

export type TimedStoreName = "memory" | StoreName;

export type TimedStore = NonNullable<HarnessOptions<never>["store"]> & {
  /** Of this process and of the database's server. */
  readonly processorMs: ProcessorClock;
  readonly remove: () => Promise<void>;
};

/** @param postgresUrl null: a private server */
export async function openTimedStore(
  name: TimedStoreName,
  postgresUrl: string | null,
): Promise<TimedStore> {
  if (name === "memory") {
    const time = createFakeTime();
    const store = createMemoryStore({ now: time.now });
    return { store, clock: time, processorMs: ownMs, remove: async () => {} };
  }
  const stage = await openStage(name, postgresUrl);
  const plain: Database = stage.openDatabase(2);
  await migrate(plain);
  const serverMs = await createServerClock(plain);
  const { database, clock } = await withVirtualClock(plain);
  const store = createSqlStore({ database });
  return {
    store,
    clock,
    processorMs: () => ownMs() + (serverMs?.() ?? 0),
    async remove() {
      await store.close();
      await stage.remove();
    },
  };
}
