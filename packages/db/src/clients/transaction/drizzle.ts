/** The transaction that Drizzle passes to a callback, on Postgres or on SQLite. */
import { hasMethod, type Opening } from "./opening.ts";
import { postgresRunner, rowsOf } from "./postgres.ts";
import type { Runner } from "./runner.ts";
import { sqliteRunner } from "./sqlite.ts";
import { unusable } from "./transaction-errors.ts";

interface DrizzlePostgres {
  execute(query: DrizzleSql): PromiseLike<unknown>;
}

interface DrizzleSqlite {
  all(query: DrizzleSql): unknown;
  run(query: DrizzleSql): unknown;
  /** `sync`: the driver is synchronous, such as better-sqlite3, and so is the transaction's callback. */
  readonly resultKind?: "sync" | "async";
}

export const openDrizzle: Opening = (transaction) => {
  if (!hasMethod(transaction, "select") || !hasMethod(transaction, "$with")) return null;
  if (!hasMethod(transaction, "rollback"))
    throw unusable("this is Drizzle's database, not a transaction: pass the tx of its transaction");
  if (isOnSqlite(transaction)) {
    assertAsync(transaction);
    return { dialect: "sqlite", runner: () => onSqlite(transaction) };
  }
  return isOnPostgres(transaction)
    ? { dialect: "postgres", runner: () => onPostgres(transaction) }
    : null;
};

const isOnSqlite = (value: object): value is DrizzleSqlite =>
  hasMethod(value, "all") && hasMethod(value, "run");

const isOnPostgres = (value: object): value is DrizzlePostgres => hasMethod(value, "execute");

/** A synchronous transaction has ended before anything awaited can run in it, and SQLite would begin another one for the savepoint. */
function assertAsync({ resultKind }: DrizzleSqlite): void {
  if (resultKind !== "sync") return;
  throw unusable(
    "Drizzle's transactions on a synchronous driver end before a call of the engine can run in them: run `begin immediate` and `commit` on the connection, and pass the connection",
  );
}

const onPostgres = (transaction: DrizzlePostgres): Runner =>
  postgresRunner(async (text, values) => rowsOf(await transaction.execute(toSql(text, values))));

const onSqlite = (transaction: DrizzleSqlite): Runner =>
  sqliteRunner(({ text, values, returnsRows }) => {
    const query = toSql(text, values);
    return Promise.resolve(returnsRows ? transaction.all(query) : transaction.run(query));
  });

/** The part of Drizzle's `SQL` that its sessions need from a query. */
interface DrizzleSql {
  getSQL(): DrizzleSql;
  toQuery(): { readonly sql: string; readonly params: readonly unknown[] };
}

/**
 * A finished text with its parameters. Drizzle's own `sql` builds texts, numbers the parameters itself, and would have to be loaded. Its
 * sessions need no more of a query than this.
 *
 * @source https://github.com/drizzle-team/drizzle-orm/blob/0.45.4/drizzle-orm/src/pg-core/db.ts, `execute` (read 2026-11)
 */
function toSql(text: string, values: readonly unknown[]): DrizzleSql {
  const query: DrizzleSql = {
    getSQL: () => query,
    toQuery: () => ({ sql: text, params: [...values] }),
  };
  return query;
}
