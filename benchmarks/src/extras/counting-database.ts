/** Counts batches: on every client one batch is one round trip (the client contract counts them on the wire). */
import type { Database } from "@escapement/db";

export interface CountingDatabase {
  readonly database: Database;
  /** Batches and their statements while `work` ran. */
  count(work: () => Promise<unknown>): Promise<Count>;
}

export interface Count {
  readonly trips: number;
  readonly statements: number;
}

export function createCountingDatabase(inner: Database): CountingDatabase {
  let count: Count = { trips: 0, statements: 0 };
  const { dialect, isSerial = false } = inner;
  return {
    database: {
      dialect,
      isSerial,
      batch: (statements) => {
        count = { trips: count.trips + 1, statements: count.statements + statements.length };
        return inner.batch(statements);
      },
      close: () => inner.close(),
    },
    async count(work) {
      const before = count;
      await work();
      return {
        trips: count.trips - before.trips,
        statements: count.statements - before.statements,
      };
    },
  };
}
