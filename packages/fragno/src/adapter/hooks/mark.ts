/**
 * A safe form of what the library writes after a hook has run.
 *
 * Each hook is fenced by its own version, instead of the whole batch by all versions, so that one lost lease does not undo the
 * other marks. Delays count from the database's time. A hook gets as many attempts as its trigger allowed.
 */
import { DbNow, dbNow } from "../db-now.ts";
import { type AnyTable, VERSION, type WriteOperation } from "../internals.ts";
import { joinSql, param, sql, type Sql } from "../sql.ts";
import { columnOf, columnSql, type Scope, tableSql } from "../tables.ts";
import { valueSql } from "../write-columns.ts";

/** The outcome of a hook, written by the library or in its place. */
export type HookMark = Pick<
  Extract<WriteOperation, { type: "update" }>,
  "id" | "set" | "checkVersion"
>;

/** The update of a hook's row. If another processor has taken the hook over, it changes nothing. */
export function compileHookMark(scope: Scope, table: AnyTable, op: HookMark): Sql {
  const column = (name: string): Sql => columnSql(scope, null, name);
  const set: Readonly<Record<string, unknown>> = op.set;
  const assignments = Object.entries(set).flatMap(([name, value]) =>
    value === undefined ? [] : [sql`${column(name)} = ${assignedSql(scope, table, set, name)}`],
  );
  const version = column(VERSION);
  const fence =
    op.checkVersion && typeof op.id !== "string"
      ? sql` and ${version} = ${param(op.id.version)}`
      : sql``;
  return sql`update ${tableSql(scope, table)} set ${joinSql([...assignments, sql`${version} = ${version} + 1`], ", ")} where ${column("id")} = ${param(String(op.id))}${fence}`;
}

function assignedSql(
  scope: Scope,
  table: AnyTable,
  set: Readonly<Record<string, unknown>>,
  name: string,
): Sql {
  const value = name === "error" ? toStorable(set[name]) : set[name];
  const plain = valueSql(scope, table, columnOf(table, name), toDatabaseTime(value));
  if (name !== "status" || value !== "pending" || typeof set["attempts"] !== "number") return plain;
  const exhausted = sql`${param(set["attempts"])} >= ${columnSql(scope, null, "maxAttempts")}`;
  return sql`case when ${exhausted} then ${param("failed")} else ${plain} end`;
}

/** The most characters of an error's text that are kept. */
const MAX_ERROR_LENGTH = 10_000;

/** Postgres refuses NUL in a text, and would refuse the mark itself. */
function toStorable(error: unknown): unknown {
  return typeof error === "string"
    ? error.slice(0, MAX_ERROR_LENGTH).replaceAll("\0", "\u{fffd}")
    : error;
}

/** The library uses this process's clock, so what counts is the distance to its now. */
function toDatabaseTime(value: unknown): unknown {
  return value instanceof Date && !DbNow.is(value) ? dbNow(value.getTime() - Date.now()) : value;
}
