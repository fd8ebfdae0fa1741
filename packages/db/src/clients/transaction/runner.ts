/** The common form of every kind of transaction: one statement at a time. */
import type { Row, Statement } from "../../batch.ts";

/** Runs statements of the Batch port in someone else's transaction. */
export interface Runner {
  /** The rows in the form of `Row`; none if the statement returns none. May return synchronously. */
  run(statement: Statement): Promise<readonly Row[]> | readonly Row[];
  /** Needed if the database itself would begin a transaction. @throws {DatabaseError} TRANSACTION_UNUSABLE */
  assertOpen?(): void;
}

/** Whether a statement returns rows, for clients that must know. */
export const returnsRows = (text: string): boolean =>
  /^\s*(?:select|with)\b|\breturning\b/i.test(text);
