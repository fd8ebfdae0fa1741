/** The transaction that Drizzle passes to a callback, on Postgres or on SQLite. */
import { hasMethod, type Opening } from "./opening.ts";
import { postgresRunner, rowsOf } from "./postgres.ts";
import type { Runner } from "./runner.ts";
import { sqliteRunner } from "./sqlite.ts";
import { unusable } from "./transaction-errors.ts";

interface DrizzlePostgres {
  execute(query: DrizzleSql): PromiseLike<unknown>;
}

/** `all` and `run` return synchronously if the driver does. */
interface DrizzleSqlite {
  all(query: DrizzleSql): unknown;
  run(query: DrizzleSql): unknown;
}

export const openDrizzle: Opening = (transaction) => {
  if (!hasMethod(transaction, "select") || !hasMethod(transaction, "$with")) return null;
  if (!hasMethod(transaction, "rollback"))
    throw unusable("this is Drizzle's database, not a transaction: pass the tx of its transaction");
  if (isOnSqlite(transaction)) return { dialect: "sqlite", runner: () => onSqlite(transaction) };
  return isOnPostgres(transaction)
    ? { dialect: "postgres", runner: () => onPostgres(transaction) }
    : null;
};

const isOnSqlite = (value: object): value is DrizzleSqlite =>
  hasMethod(value, "all") && hasMethod(value, "run");

const isOnPostgres = (value: object): value is DrizzlePostgres => hasMethod(value, "execute");

const onPostgres = (transaction: DrizzlePostgres): Runner =>
  postgresRunner(async (text, values) => rowsOf(await transaction.execute(toSql(text, values))));

const onSqlite = (transaction: DrizzleSqlite): Runner =>
  sqliteRunner(({ text, values, returnsRows }) => {
    const query = toSql(text, values);
    const answer = returnsRows ? transaction.all(query) : transaction.run(query);
    return isPromiseLike(answer) ? Promise.resolve(answer) : answer;
  });

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && hasMethod(value, "then");

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
