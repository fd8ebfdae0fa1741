/** The four stores that scopes are proven on, with a count of the commits that they take and of what their claims read. */
import type { Database } from "@escapement/db";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createSqlStore } from "@escapement/engine/store/sql";
import type { Store } from "../../../packages/engine/src/ports/store.ts";
import { createFakeTime } from "../../../packages/engine/src/testing/fake-time.ts";
import type { HarnessClock } from "../../../packages/engine/src/testing/harness.ts";
import { withVirtualClock } from "../../../packages/engine/src/testing/virtual-clock.ts";
import { emptyTables } from "../programs/play-stores.ts";
import { openDatabase } from "../subjects/open-database.ts";
import { EMBEDDED, POSTGRES, SQLD, type SubjectKind } from "../subjects/test-database.ts";

/** What came back from the database; of memory, the steps of the runs that were claimed. */
export interface Read {
  readonly rows: number;
  readonly bytes: number;
}

export interface Counts {
  /** Calls that commit; a lone end is one too. */
  readonly commits: number;
  /** A read of each claim that found something. */
  readonly claims: readonly Read[];
}

export interface CountedStore {
  readonly store: Store;
  readonly clock: HarnessClock;
  /** Since it was opened. */
  takeCounts(): Counts;
}

export interface CountedStores {
  /** Gives a store without instances of `w`. */
  open(): Promise<CountedStore>;
  remove(): Promise<void>;
}

export interface CountedStoresKind {
  readonly name: string;
  readonly isAvailable: boolean;
  start(): Promise<CountedStores>;
}

const sizeOf = (rows: readonly unknown[]): Read => ({
  rows: rows.length,
  bytes: JSON.stringify(rows).length,
});

const MEMORY: CountedStoresKind = {
  name: "memory",
  isAvailable: true,
  start: async () => ({
    async open() {
      const time = createFakeTime();
      const counted = countStore(createMemoryStore({ now: time.now }), (runs) =>
        sizeOf(runs.flatMap(({ settled, open }) => [...settled, ...open])),
      );
      return { ...counted, clock: time };
    },
    remove: async () => {},
  }),
};

const overSql = (kind: SubjectKind): CountedStoresKind => ({
  name: kind.name,
  isAvailable: kind.isAvailable,
  async start() {
    const subject = await kind.open();
    const plain = await openDatabase(subject.url);
    const read: unknown[] = [];
    const { database, clock } = await withVirtualClock(keepRows(plain, read));
    return {
      async open() {
        await emptyTables(plain);
        read.length = 0;
        return {
          ...countStore(
            createSqlStore({ database }),
            () => sizeOf(read),
            () => (read.length = 0),
          ),
          clock,
        };
      },
      async remove() {
        await plain.close();
        await subject.remove();
      },
    };
  },
});

/** A database that keeps the rows that it gives. */
function keepRows(plain: Database, read: unknown[]): Database {
  const batch: Database["batch"] = async (statements, options) => {
    const result = await plain.batch(statements, options);
    if (result.kind === "committed") read.push(...result.rows.flat());
    return result;
  };
  return { dialect: plain.dialect, batch, close: () => plain.close() };
}

type ClaimedRuns = Awaited<ReturnType<Store["claim"]>>["runs"];

/** One call at a time, as in a harness. */
function countStore(
  store: Store,
  readOf: (runs: ClaimedRuns) => Read,
  begin: () => void = () => {},
): Omit<CountedStore, "clock"> {
  let commits = 0;
  const claims: Read[] = [];
  return {
    store: {
      ...store,
      claim: async (request) => {
        begin();
        const claim = await store.claim(request);
        if (claim.runs.length > 0) claims.push(readOf(claim.runs));
        return claim;
      },
      commit: (list) => {
        commits += 1;
        return store.commit(list);
      },
    },
    takeCounts: () => ({ commits, claims }),
  };
}

/** The four that all rows are proven on. */
export const COUNTED_STORES: readonly CountedStoresKind[] = [
  MEMORY,
  ...[EMBEDDED, SQLD, POSTGRES].map(overSql),
];
