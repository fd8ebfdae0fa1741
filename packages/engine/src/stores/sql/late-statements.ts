/** Statements that are compiled with their first use: texts are made once for a store. */
import type { Dialect, SqlValue } from "@escapement/db/client";
import type { Query } from "./rows.ts";
import { type PreparedRows, prepareRows, prepareSingle } from "./statement-set.ts";
import type { RowsStatement, SingleStatement } from "./statements/given-rows.ts";

const texts = new WeakMap<Dialect, Map<(dialect: Dialect) => string, string>>();

export function query<Row>(
  dialect: Dialect,
  text: (dialect: Dialect) => string,
  ...values: readonly SqlValue[]
): Query<Row> {
  const made = texts.get(dialect) ?? new Map<(dialect: Dialect) => string, string>();
  texts.set(dialect, made);
  const own = made.get(text) ?? text(dialect);
  made.set(text, own);
  return { text: own, values };
}

const overRows = new WeakMap<Dialect, Map<RowsStatement, PreparedRows<never>>>();

/** The same over rows; null: there are none. */
export function queryRows<Row = never>(
  dialect: Dialect,
  statement: RowsStatement,
  rows: readonly object[],
): Query<Row> | null {
  if (rows.length === 0) return null;
  const made = overRows.get(dialect) ?? new Map<RowsStatement, PreparedRows<never>>();
  overRows.set(dialect, made);
  const one = made.get(statement) ?? prepareRows(dialect, statement);
  made.set(statement, one);
  return one(rows);
}

/** The same over one row, which goes by its values. */
export const queryRow = <Row>(
  dialect: Dialect,
  statement: SingleStatement,
  row: object,
): Query<Row> => prepareSingle(statement.columns, query(dialect, statement.text).text)(row);
