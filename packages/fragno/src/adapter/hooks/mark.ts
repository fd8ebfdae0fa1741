/**
 * What the library writes when a hook has run, made safe.
 *
 * Each hook is fenced by its own version instead of the whole batch by all of them, so that one lost lease does not undo
 * what the others say; delays count from the database's time; and a hook gets the attempts that its trigger allowed.
 */
import { DbNow, dbNow } from "../db-now.ts";
import { type AnyTable, VERSION, type WriteOperation } from "../internals.ts";
import { joinSql, param, sql, type Sql } from "../sql.ts";
import { columnOf, columnSql, type Scope, tableSql } from "../tables.ts";
import { valueSql } from "../write-columns.ts";

/** What is written of a hook, by the library or for it. */
export type HookMark = Pick<
  Extract<WriteOperation, { type: "update" }>,
  "id" | "set" | "checkVersion"
>;

/** The update of one row of the hooks' table; of a hook that another processor has taken over, it changes nothing. */
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

/** Longest text of an error that is kept, in characters. */
const MAX_ERROR_LENGTH = 10_000;

/** Postgres takes no NUL in a text, so that the mark itself would be refused. */
function toStorable(error: unknown): unknown {
  return typeof error === "string"
    ? error.slice(0, MAX_ERROR_LENGTH).replaceAll("\0", "\u{fffd}")
    : error;
}

/** The library reckons with this process's clock: the distance to its now is what it means. */
function toDatabaseTime(value: unknown): unknown {
  return value instanceof Date && !DbNow.is(value) ? dbNow(value.getTime() - Date.now()) : value;
}
