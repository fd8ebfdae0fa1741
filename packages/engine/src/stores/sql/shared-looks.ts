/** Shares trips between the looks of many waiting callers, so that enough connections are left for claims and commits. */
import type { Database } from "@escapement/db";
import type { BatchOptions, BatchResult, Statement } from "@escapement/db/client";

/** The most trips of looks at once, of the ten connections of a pool. */
const MOST_TRIPS = 4;

/** The most looks in one trip. Each may return params and an output of a mebibyte. */
const MOST_LOOKS = 16;

interface Look {
  readonly statements: readonly Statement[];
  readonly options: BatchOptions | undefined;
  readonly resolve: (result: BatchResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Wraps a database for batches that only read. While few are under way, a batch leaves at once and alone. */
export function shareLooks(database: Database): Database {
  const queue: Look[] = [];
  let trips = 0;
  const leave = (): void => {
    if (trips >= MOST_TRIPS || queue.length === 0) return;
    trips += 1;
    void deliver(database, queue.splice(0, MOST_LOOKS)).then(() => {
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

/** Sends looks in one trip. Never rejects. */
async function deliver(database: Database, looks: readonly Look[]): Promise<void> {
  try {
    const statements = looks.flatMap((look) => look.statements);
    const result = await database.batch(statements, looks[0]?.options);
    let from = 0;
    for (const look of looks) {
      const to = from + look.statements.length;
      look.resolve(
        result.kind === "committed" ? { ...result, rows: result.rows.slice(from, to) } : result,
      );
      from = to;
    }
  } catch (error) {
    for (const look of looks) look.reject(error);
  }
}
