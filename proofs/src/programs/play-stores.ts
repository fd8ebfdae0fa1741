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
    const asked = inTurn(plain);
    const { database, clock } = await withVirtualClock(asked.database);
    return {
      async open(time) {
        // What a process that died had sent belongs to the play before.
        await asked.settled();
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

/**
 * A database that is asked one call after the other, in the order in which they were made: what a process had sent when it died is
 * applied before anything of the one that takes its place. A claim that came after it would hold its run for a whole lease.
 */
function inTurn(plain: Database): {
  readonly database: Database;
  readonly settled: () => Promise<void>;
} {
  let last: Promise<unknown> = Promise.resolve();
  const batch: Database["batch"] = (statements, options) => {
    const call = last.then(() => plain.batch(statements, options));
    last = call.catch(() => undefined);
    return call;
  };
  return {
    database: { ...plain, dialect: plain.dialect, batch, close: () => plain.close() },
    settled: async () => void (await last),
  };
}

/** The four that all rows are proven on. */
export const PLAY_STORES: readonly PlayStoresKind[] = [
  MEMORY,
  ...[EMBEDDED, SQLD, POSTGRES].map(overSql),
];
