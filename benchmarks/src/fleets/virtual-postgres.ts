/** A Postgres whose time is the virtual clock's: the clock waits while a statement is under way. */
import { createPgDatabase } from "@escapement/db/pg";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { withVirtualClock } from "@escapement/engine/testing";
import { createPostgresDatabase } from "@escapement-internal/test-servers";
import type { MemoryStore } from "../cost/scene.ts";

export interface VirtualPostgres {
  /** Its tables are empty. @param now the virtual clock */
  begin(now: () => number): Promise<MemoryStore>;
  /** Calls that are under way. */
  inFlight(): number;
  remove(): Promise<void>;
}

const TABLES = ["workflow_task", "workflow_event", "workflow_step", "workflow_instance"];

/** Open it before the process's clock is taken away. */
export async function openVirtualPostgres(): Promise<VirtualPostgres> {
  const { url, drop } = await createPostgresDatabase();
  const plain = createPgDatabase({ connectionString: url, max: 4, preparedStatements: true });
  await migrate(plain);
  const { database, clock } = await withVirtualClock(plain);
  const store = createSqlStore({ database });
  let [count, setAt] = [0, 0];
  let setting: Promise<void> = Promise.resolve();
  /** Nothing else happens meanwhile: the virtual clock stands still. */
  const moveTo = (at: number): Promise<void> => {
    if (at > setAt) {
      setAt = at;
      setting = clock.set(at);
    }
    return setting;
  };
  return {
    inFlight: () => count,
    begin: async (now) => {
      await plain.batch(
        TABLES.map((table) => ({ text: `delete from "${table}_workflows"`, values: [] })),
      );
      const timed: Record<string, unknown> = { ...store };
      for (const [verb, call] of Object.entries(store)) {
        if (typeof call !== "function" || verb === "close") continue;
        timed[verb] = async (...given: unknown[]): Promise<unknown> => {
          count += 1;
          try {
            await moveTo(Math.floor(now()));
            return await Reflect.apply(call, store, given);
          } finally {
            count -= 1;
          }
        };
      }
      return timed as unknown as MemoryStore;
    },
    remove: async () => {
      await store.close();
      await drop();
    },
  };
}
