/** @module The Batch port inside a transaction that someone else has begun, on their connection, with their client. */
import type { BatchResult, Database, Row, Statement } from "../../batch.ts";
import type { Dialect } from "../../dialect/dialect.ts";
import { DatabaseError } from "../../errors.ts";
import { classifyTransactionError } from "./transaction-errors.ts";
import { openRunner } from "./open-runner.ts";
import type { Runner } from "./runner.ts";
import { takeTurn } from "./turns.ts";

/**
 * Creates a client over an open transaction: a client of `pg`, a transaction of Drizzle, Kysely or Prisma, a connection with
 * better-sqlite3's API or of `node:sqlite`. Each batch is a savepoint, so a batch that fails leaves the transaction unchanged;
 * commit and rollback are the caller's. Batches of one transaction take turns. `close` has nothing to release.
 *
 * @param dialect of the statements that will follow
 * @throws {DatabaseError} TRANSACTION_UNUSABLE — none of these, of another kind of database, or not in a transaction. From `batch`
 *   also: not in a transaction (Postgres only reports it then), already ended, or failed before. TRANSACTION_CONFLICT — another
 *   writer was first: nothing is repeated, because only the whole transaction can be
 */
export function createTransactionDatabase(transaction: object, dialect: Dialect): Database {
  const runner = openRunner(transaction, dialect.name);
  return {
    dialect,
    isSerial: true,
    batch: (statements) => takeTurn(transaction, () => applyBatch(runner, dialect, statements)),
    close: () => Promise.resolve(),
  };
}

const SAVEPOINT = "escapement";

async function applyBatch(
  runner: Runner,
  { name }: Dialect,
  statements: readonly Statement[],
): Promise<BatchResult> {
  let isBegun = false;
  try {
    runner.assertOpen?.();
    await runner.run({ text: `savepoint ${SAVEPOINT}`, values: [] });
    isBegun = true;
    const rows: (readonly Row[])[] = [];
    for (const statement of statements) rows.push(await runner.run(statement));
    await runner.run({ text: `release savepoint ${SAVEPOINT}`, values: [] });
    return { kind: "committed", rows };
  } catch (error) {
    if (isBegun) await undo(runner);
    const outcome = classifyTransactionError(error, name);
    if (outcome instanceof DatabaseError) throw outcome;
    return outcome;
  }
}

/** A transaction that cannot return to its savepoint has ended; the error that led here says why. */
async function undo(runner: Runner): Promise<void> {
  try {
    await runner.run({ text: `rollback to savepoint ${SAVEPOINT}`, values: [] });
    await runner.run({ text: `release savepoint ${SAVEPOINT}`, values: [] });
  } catch {
    // The first error is the one to report.
  }
}
