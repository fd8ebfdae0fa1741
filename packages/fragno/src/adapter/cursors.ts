/**
 * Pages by cursor: in lexicographic order over the columns of an index, with the row's id as tie-break, in both directions.
 *
 * Nulls have a position, too: in ascending order, last on Postgres and first on SQLite.
 */
import type { Cursor } from "@fragno-dev/db/cursor";
import type { Row } from "@escapement/db";
import { library } from "./library.ts";
import { columnTypesOf } from "./column-types.ts";
import { FragnoAdapterError } from "./errors.ts";
import { type AnyColumn, type AnyTable, type FindOperation, PRIMARY_INDEX } from "./internals.ts";
import type { Selected } from "./selection.ts";
import { joinSql, param, raw, sql, type Sql } from "./sql.ts";
import { columnSql, type Scope } from "./tables.ts";
import { instantOfMs, valueSql } from "./write-columns.ts";

type Direction = "asc" | "desc";

/** The order of a read, and where it starts and ends. */
export interface PageOrder {
  readonly indexName: string;
  readonly direction: Direction;
  /** The columns of the index, then the id if they are not unique. */
  readonly columns: readonly AnyColumn[];
  readonly after: Cursor | null;
  readonly before: Cursor | null;
}

/** The order that a find asks for, down to a single row if it has a limit; null: none. @throws {FragnoAdapterError} INVALID_CURSOR */
export function toPageOrder(op: FindOperation): PageOrder | null {
  const after = parseCursor(op.options.after);
  const before = parseCursor(op.options.before);
  const cursor = after ?? before;
  const { orderByIndex } = op.options;
  if (orderByIndex === undefined && cursor === null && op.withCursor !== true) return null;
  const indexName = orderByIndex?.indexName ?? cursor?.indexName ?? op.indexName;
  const direction = orderByIndex?.direction ?? cursor?.orderDirection ?? "asc";
  for (const given of [after, before]) {
    if (given !== null && (given.indexName !== indexName || given.orderDirection !== direction))
      throw invalid("it belongs to another index or order");
  }
  const isPaged = cursor !== null || op.withCursor === true || op.options.pageSize !== undefined;
  return {
    indexName,
    direction,
    columns: orderColumns(op.table, indexName, isPaged),
    after,
    before,
  };
}

/** A page that ends at a cursor is read backwards from there, so that it is the nearest one. */
export const isBackward = (order: PageOrder): boolean =>
  order.after === null && order.before !== null;

/** Condition: the row is between the cursors. */
export function pageSql(scope: Scope, table: AnyTable, alias: string, order: PageOrder): Sql {
  const beyond = (cursor: Cursor | null, direction: Direction): readonly Sql[] =>
    cursor === null ? [] : [beyondSql({ scope, table, alias, cursor, direction }, order.columns)];
  const bounds = [
    ...beyond(order.after, order.direction),
    ...beyond(order.before, opposite(order.direction)),
  ];
  return bounds.length === 0 ? raw("1 = 1") : joinSql(bounds, " and ");
}

/** The ORDER BY list, in the direction of reading. */
export function orderSql(scope: Scope, alias: string, order: PageOrder): Sql {
  const direction = isBackward(order) ? opposite(order.direction) : order.direction;
  const items = order.columns.map(
    (column) => sql`${columnSql(scope, alias, column.name)} ${raw(direction)}`,
  );
  return joinSql(items, ", ");
}

/** What a page selects in addition to its columns, for its cursor. */
export function cursorItems(scope: Scope, alias: string, order: PageOrder): readonly Selected[] {
  const { exactInstant, read } = columnTypesOf(scope.dialect);
  return order.columns.map((column) => {
    const reference = columnSql(scope, alias, column.name);
    const expression =
      column.type === "timestamp" || column.type === "date"
        ? raw(exactInstant(reference.parts[0] ?? ""))
        : column.type === "bigint"
          ? raw(read.bigint(reference.parts[0] ?? ""))
          : reference;
    return { name: `cursor:${column.name}`, expression, nested: false };
  });
}

/** The cursor for a row that selected `cursorItems`. */
export function toCursor(order: PageOrder, row: Row, pageSize: number): Cursor {
  const entries = order.columns.map((column) => [column.ormName, row[`cursor:${column.name}`]]);
  return new library.Cursor({
    indexName: order.indexName,
    orderDirection: order.direction,
    pageSize,
    indexValues: Object.fromEntries(entries) as Record<string, unknown>,
  });
}

function parseCursor(given: Cursor | string | undefined): Cursor | null {
  if (given === undefined) return null;
  try {
    return typeof given === "string" ? library.decodeCursor(given) : given;
  } catch {
    throw invalid("it cannot be read");
  }
}

function orderColumns(table: AnyTable, indexName: string, isPaged: boolean): readonly AnyColumn[] {
  const id = table.getIdColumn();
  const index = table.indexes[indexName];
  if (index === undefined) {
    if (indexName === PRIMARY_INDEX) return [id];
    throw new FragnoAdapterError(
      "INVALID_QUERY",
      `The table "${table.name}" has no index "${indexName}"`,
      { table: table.name, index: indexName },
    );
  }
  const tellsRowsApart = index.unique && index.columns.every((column) => !column.isNullable);
  return !isPaged || tellsRowsApart || index.columns.includes(id)
    ? index.columns
    : [...index.columns, id];
}

interface Bound {
  readonly scope: Scope;
  readonly table: AnyTable;
  readonly alias: string;
  readonly cursor: Cursor;
  readonly direction: Direction;
}

/** (a > x) or (a = x and b > y) or …: the rows after the cursor in `direction`. */
function beyondSql(bound: Bound, columns: readonly AnyColumn[]): Sql {
  const { indexValues } = bound.cursor;
  // A cursor from elsewhere may lack the tie-break.
  const known = columns.filter((column) => indexValues[column.ormName] !== undefined);
  if (known.length === 0) throw invalid("it lacks the values of its index");
  const alternatives = known.map((column, position) => {
    const same = known.slice(0, position).map((earlier) => sameSql(bound, earlier));
    return sql`(${joinSql([...same, furtherSql(bound, column)], " and ")})`;
  });
  return sql`(${joinSql(alternatives, " or ")})`;
}

function sameSql(bound: Bound, column: AnyColumn): Sql {
  const reference = columnSql(bound.scope, bound.alias, column.name);
  const value = bound.cursor.indexValues[column.ormName];
  return value === null
    ? sql`${reference} is null`
    : sql`${reference} = ${positionSql(bound, column, value)}`;
}

function furtherSql(bound: Bound, column: AnyColumn): Sql {
  const { scope, alias, cursor, direction } = bound;
  const reference = columnSql(scope, alias, column.name);
  const value = cursor.indexValues[column.ormName];
  const nullsLast = (scope.dialect.name === "postgres") === (direction === "asc");
  if (value === null) return nullsLast ? raw("1 = 0") : sql`${reference} is not null`;
  const further = sql`${reference} ${raw(direction === "asc" ? ">" : "<")} ${positionSql(bound, column, value)}`;
  return nullsLast && column.isNullable ? sql`(${further} or ${reference} is null)` : further;
}

/** A cursor's value for a column: plain JSON, or the application's own value if the caller created the cursor. */
function positionSql({ scope, table }: Bound, column: AnyColumn, value: unknown): Sql {
  if (column.type === "timestamp" || column.type === "date") {
    if (value instanceof Date) return valueSql(scope, table, column, value);
    if (typeof value === "number") return instantOfMs(scope, column, param(value));
    const text = typeof value === "string" ? value : "";
    const ms = Date.parse(text);
    if (Number.isNaN(ms)) throw invalid("it has no valid instant where one belongs");
    // As text, because a Date would lose the microseconds.
    return scope.dialect.name === "postgres"
      ? sql`cast(${param(text)} as timestamp)`
      : instantOfMs(scope, column, param(ms));
  }
  const isBigint = column.type === "bigint" && typeof value === "string";
  try {
    return valueSql(scope, table, column, isBigint ? toBigint(value) : value);
  } catch (error) {
    throw FragnoAdapterError.is(error) ? invalid(error.message) : error;
  }
}

function toBigint(text: string): bigint {
  if (!/^-?\d+$/u.test(text)) throw invalid("it has no valid number where one belongs");
  return BigInt(text);
}

const opposite = (direction: Direction): Direction => (direction === "asc" ? "desc" : "asc");

const invalid = (why: string): FragnoAdapterError =>
  new FragnoAdapterError("INVALID_CURSOR", `The cursor is not valid here: ${why}`);
