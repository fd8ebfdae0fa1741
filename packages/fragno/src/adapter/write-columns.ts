/** Fragno's values as SQL, for writes and for conditions. */
import type { FragnoId } from "@fragno-dev/db/schema";
import { library } from "./library.ts";
import { columnTypesOf } from "./column-types.ts";
import { DbNow } from "./db-now.ts";
import { FragnoAdapterError } from "./errors.ts";
import { type AnyColumn, type AnyTable, INTERNAL_ID } from "./internals.ts";
import { SqlExpression } from "./sql-expression.ts";
import { param, raw, sql, type Sql, wrapSql } from "./sql.ts";
import { columnSql, type Scope, tableSql } from "./tables.ts";

const DAY_MS = 86_400_000;

/**
 * A value for a column of `table`.
 *
 * @throws {FragnoAdapterError} INVALID_VALUE — the column cannot hold it
 */
export function valueSql(scope: Scope, table: AnyTable, column: AnyColumn, value: unknown): Sql {
  if (SqlExpression.is(value)) return { parts: value.parts, values: value.values };
  if (column.role === "reference") return referenceSql(scope, table, column, value);
  if (value instanceof library.FragnoId)
    return valueSql(scope, table, column, toPlainId(column, value));
  if (value === null) return param(column.type === "json" && !column.isNullable ? "null" : null);
  const encode = ENCODERS[column.type];
  return encode === undefined ? param(toText(column, value)) : encode(scope, column, value);
}

/** By column type; the others are text. */
const ENCODERS: Readonly<Record<string, (scope: Scope, column: AnyColumn, value: unknown) => Sql>> =
  {
    timestamp: instantSql,
    date: instantSql,
    json: (_scope, column, value) => param(toJson(column, value)),
    binary: ({ dialect }, column, value) =>
      wrapSql(columnTypesOf(dialect).write.binary, param(toHex(column, value))),
    bigint: ({ dialect }, column, value) =>
      column.role === "regular"
        ? wrapSql(columnTypesOf(dialect).write.bigint, param(toBigintText(column, value)))
        : param(Number(value)),
    bool: (_scope, column, value) =>
      param(typeof value === "boolean" ? value : refuse(column, value)),
    integer: (_scope, column, value) => param(toNumber(column, value)),
    decimal: (_scope, column, value) => param(toNumber(column, value)),
  };

/** The instant that a number of milliseconds stands for, as a column's value. */
export function instantOfMs(scope: Scope, column: AnyColumn, expression: Sql): Sql {
  const instant = wrapSql(scope.dialect.fromMs, expression);
  return column.type === "date"
    ? wrapSql(columnTypesOf(scope.dialect).write.date, instant)
    : instant;
}

function instantSql(scope: Scope, column: AnyColumn, value: unknown): Sql {
  if (DbNow.is(value)) return nowSql(scope, column, value.offsetMs);
  const ms = value instanceof Date ? value.getTime() : Number.NaN;
  if (Number.isNaN(ms)) refuse(column, value);
  return instantOfMs(
    scope,
    column,
    param(column.type === "date" ? Math.floor(ms / DAY_MS) * DAY_MS : ms),
  );
}

function nowSql(scope: Scope, column: AnyColumn, offsetMs: number): Sql {
  const { now, nowMs, plusMs } = scope.dialect;
  if (column.type === "date") {
    const day = raw(String(DAY_MS));
    return instantOfMs(scope, column, sql`(${raw(nowMs)} + ${param(offsetMs)}) / ${day} * ${day}`);
  }
  return offsetMs === 0 ? raw(now) : wrapSql((ms) => plusMs(now, ms), param(offsetMs));
}

/** The internal id of the referenced row, looked up if only the external id is known. */
function referenceSql(scope: Scope, table: AnyTable, column: AnyColumn, value: unknown): Sql {
  if (value === null) return param(null);
  if (value instanceof library.FragnoReference) return param(Number(value.internalId));
  if (typeof value === "bigint" || typeof value === "number") return param(Number(value));
  if (value instanceof library.FragnoId && value.internalId !== undefined)
    return param(Number(value.internalId));
  const target = Object.values(table.relations).find((relation) =>
    relation.on.some(([local]) => local === column.ormName),
  )?.table;
  const externalId = value instanceof library.FragnoId ? value.externalId : value;
  if (target === undefined || typeof externalId !== "string") return refuse(column, value);
  const [internal, external] = [INTERNAL_ID, target.getIdColumn().name];
  return sql`(select ${columnSql(scope, null, internal)} from ${tableSql(scope, target)} where ${columnSql(scope, null, external)} = ${param(externalId)})`;
}

function toPlainId(column: AnyColumn, id: FragnoId): string | bigint {
  return column.role === "internal-id" ? (id.internalId ?? refuse(column, id)) : id.externalId;
}

function toJson(column: AnyColumn, value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return refuse(column, value);
  }
}

function toHex(column: AnyColumn, value: unknown): string {
  const bytes = value instanceof Uint8Array ? value : refuse(column, value);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function toBigintText(column: AnyColumn, value: unknown): string {
  const number = typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof number === "bigint" && BigInt.asIntN(64, number) === number
    ? number.toString()
    : refuse(column, value);
}

function toNumber(column: AnyColumn, value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : refuse(column, value);
}

function toText(column: AnyColumn, value: unknown): string {
  const text = typeof value === "string" ? value : refuse(column, value);
  const [, limit] = /^varchar\((\d+)\)$/u.exec(column.type) ?? [];
  // SQLite would accept any length, but then the row could not move to Postgres.
  const isTooLong = text.length > Number(limit) && Array.from(text).length > Number(limit);
  return isTooLong ? refuse(column, `${text.length} characters`) : text;
}

function refuse(column: AnyColumn, value: unknown): never {
  const what = typeof value === "string" ? value : `a value of type ${typeof value}`;
  throw new FragnoAdapterError(
    "INVALID_VALUE",
    `The column "${column.tableName}.${column.name}" of type ${column.type} cannot hold ${what}`,
    { table: column.tableName, column: column.name },
  );
}
