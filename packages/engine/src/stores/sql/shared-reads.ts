/** Shares trips between the reads of many waiting callers, so that enough connections are left for claims and commits. */
import type { Database } from "@escapement/db";
import type { BatchOptions, BatchResult, Statement } from "@escapement/db/client";

/** The most trips of reads at once, of the ten connections of a pool. */
const MOST_TRIPS = 4;

/** The most reads in one trip. Each may return params and an output of a mebibyte. */
const MOST_READS = 16;

interface PendingRead {
  readonly statements: readonly Statement[];
  readonly options: BatchOptions | undefined;
  readonly resolve: (result: BatchResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Wraps a database for batches that only read. While few are under way, a batch leaves at once and alone. */
export function shareReads(database: Database): Database {
  const queue: PendingRead[] = [];
  let trips = 0;
  const leave = (): void => {
    if (trips >= MOST_TRIPS || queue.length === 0) return;
    trips += 1;
    void deliver(database, queue.splice(0, MOST_READS)).then(() => {
      trips -= 1;
      leave();
    });
  };
  const batch: Database["batch"] = (statements, options) =>
    new Promise((resolve, reject) => {
      queue.push({ statements, options, resolve, reject });
      leave();
    });
  return { dialect: database.dialect, batch, close: () => database.close() };
}

/** Sends reads in one trip. Never rejects. */
async function deliver(database: Database, reads: readonly PendingRead[]): Promise<void> {
  try {
    const statements = reads.flatMap((read) => read.statements);
    const result = await database.batch(statements, reads[0]?.options);
    let from = 0;
    for (const read of reads) {
      const to = from + read.statements.length;
      read.resolve(
        result.kind === "committed" ? { ...result, rows: result.rows.slice(from, to) } : result,
      );
      from = to;
    }
  } catch (error) {
    for (const read of reads) read.reject(error);
  }
}
