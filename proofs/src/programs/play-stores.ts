/** Stores of all kinds for plays of one program after the other: each begins with an empty one. */
import type { Database } from "@escapement/db";
import { createSqlStore } from "@escapement/engine/store/sql";
import type { Store } from "../../../packages/engine/src/ports/store.ts";
import {
  openMemory,
  type OpenPlayStore,
} from "../../../packages/engine/src/testing/crashes/play.ts";
import { withVirtualClock } from "../../../packages/engine/src/testing/virtual-clock.ts";
import { openDatabase } from "../subjects/open-database.ts";
import { EMBEDDED, POSTGRES, SQLD, type SubjectKind } from "../subjects/test-database.ts";

export interface PlayStores {
  readonly open: OpenPlayStore;
  readonly remove: () => Promise<void>;
}

export interface PlayStoresKind {
  readonly name: string;
  readonly isAvailable: boolean;
  readonly start: () => Promise<PlayStores>;
}

const MEMORY: PlayStoresKind = {
  name: "memory",
  isAvailable: true,
  start: async () => ({ open: openMemory, remove: async () => {} }),
};

const TABLES = [
  "workflow_progress",
  "workflow_topic_wait",
  "workflow_message",
  "workflow_topic",
  "workflow_task",
  "workflow_event",
  "workflow_step",
  "workflow_instance",
];

const overSql = (kind: SubjectKind): PlayStoresKind => ({
  name: kind.name,
  isAvailable: kind.isAvailable,
  async start() {
    const subject = await kind.open();
    const plain = await openDatabase(subject.url);
    const counted = countCalls(plain);
    const { database, clock } = await withVirtualClock(counted.database);
    return {
      async open(time) {
        // What a process that died had sent belongs to the play before.
        await counted.settled();
        await emptyTables(plain);
        await clock.set(time.now());
        const store: Store = createSqlStore({ database });
        const advance = async (ms: number): Promise<void> => {
          await clock.advance(ms);
          await time.advance(ms);
        };
        return { store, clock: { now: () => clock.now(), advance } };
      },
      async remove() {
        await plain.close();
        await subject.remove();
      },
    };
  },
});

/** Leaves the tables of the engine without a row. */
export async function emptyTables(database: Database): Promise<void> {
  const statements = TABLES.map((table) => ({
    text: `delete from "${table}_workflows"`,
    values: [],
  }));
  const { kind } = await database.batch(statements);
  if (kind !== "committed") throw new RangeError("the tables were not emptied");
}

/** A database that is asked until all its answers have come. */
function countCalls(plain: Database): {
  readonly database: Database;
  readonly settled: () => Promise<void>;
} {
  const underWay = new Set<Promise<unknown>>();
  const batch: Database["batch"] = (statements, options) => {
    const call = plain.batch(statements, options);
    const over = call.then(
      () => undefined,
      () => undefined,
    );
    underWay.add(over);
    void over.then(() => underWay.delete(over));
    return call;
  };
  return {
    database: { ...plain, dialect: plain.dialect, batch, close: () => plain.close() },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** The four that all rows are proven on. */
export const PLAY_STORES: readonly PlayStoresKind[] = [
  MEMORY,
  ...[EMBEDDED, SQLD, POSTGRES].map(overSql),
];
