/** A connection with better-sqlite3's API, or of `node:sqlite`, on which BEGIN was run. */
import { hasMethod, type Opening } from "./opening.ts";
import { type SqliteQuery, sqliteRunner } from "./sqlite.ts";
import { unusable } from "./transaction-errors.ts";

interface SqliteConnection {
  /** From better-sqlite3. */
  readonly inTransaction?: boolean;
  /** From `node:sqlite`. */
  readonly isTransaction?: boolean;
  prepare(text: string): SqliteStatement;
}

/** better-sqlite3 has `all` for statements that return rows, and refuses it for others. */
interface SqliteStatement {
  all(...values: SqliteQuery["values"]): unknown[];
  run(...values: SqliteQuery["values"]): unknown;
}

const isConnection = (value: object): value is SqliteConnection =>
  hasMethod(value, "prepare") && hasMethod(value, "exec");

export const openSqliteConnection: Opening = (transaction) => {
  if (!isConnection(transaction)) return null;
  const run = ({ text, values, returnsRows }: SqliteQuery): unknown => {
    const statement = transaction.prepare(text);
    return returnsRows ? statement.all(...values) : statement.run(...values);
  };
  // Outside of a transaction, a savepoint would begin one, and its release would commit it.
  const assertOpen = (): void => {
    if (transaction.inTransaction !== true && transaction.isTransaction !== true)
      throw unusable("the connection is not in a transaction: run BEGIN first");
  };
  return { dialect: "sqlite", runner: () => sqliteRunner(run, assertOpen) };
};
