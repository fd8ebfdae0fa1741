/** What each kind of transaction is made to: one statement at a time. */
import type { Row, Statement } from "../../batch.ts";

/** Runs statements of the Batch port in somebody's transaction. */
export interface Runner {
  /** The rows as `Row` says; none where the statement returns none. May answer at once. */
  run(statement: Statement): Promise<readonly Row[]> | readonly Row[];
  /** Where the database itself would begin a transaction. @throws {DatabaseError} TRANSACTION_UNUSABLE */
  assertOpen?(): void;
}

/** Whether a statement returns rows, for clients that must be told. */
export const returnsRows = (text: string): boolean =>
  /^\s*(?:select|with)\b|\breturning\b/i.test(text);
