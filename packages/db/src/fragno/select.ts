/** What a read selects, joins included, and how its rows become records. */
import type { FragnoId } from "@fragno-dev/db/schema";
import { library } from "./library.ts";
import type { Row } from "../batch.ts";
import { type AnyColumn, type AnyTable, INTERNAL_ID, type Join, VERSION } from "./internals.ts";
import { type JoinPlan, planJoin } from "./joins.ts";
import { readSql, decodeColumn } from "./read-columns.ts";
import { raw, sql, type Sql } from "./sql.ts";
import { columnOf, columnSql, type Scope } from "./tables.ts";

/** A selected expression under its name. */
export interface Selected {
  readonly name: string;
  readonly expression: Sql;
  /** The value is JSON of rows, to be embedded as such. */
  readonly nested: boolean;
}

/** One table's part of a read. */
export interface Selection {
  readonly items: readonly Selected[];
  /** A row, or the JSON object of one, as the record that Fragno's caller gets. */
  readonly decode: (row: Row) => Record<string, unknown>;
}

/** The columns of a read; true: all. */
export type Columns = true | readonly string[];

/** Plans the selection of a table's row called `alias`, with its joins. */
export function planSelection(
  scope: Scope,
  source: { readonly table: AnyTable; readonly alias: string },
  wanted: { readonly columns: Columns; readonly joins: readonly Join[] },
): Selection {
  const { table, alias } = source;
  const columns = chooseColumns(table, wanted.columns);
  const joins = wanted.joins.map((join, index) =>
    planJoin(scope, { parent: source, join, alias: `${alias}_${index}` }),
  );
  return {
    items: [
      ...columns.map((column) => selectColumn(scope, alias, column)),
      ...joins.flatMap((join) => (join.item === null ? [] : [join.item])),
    ],
    decode: (row) => decodeRecord(row, columns, joins),
  };
}

/** Selected expressions as the list of a SELECT. */
export function selectedSql({ dialect }: Scope, { name, expression }: Selected): Sql {
  return sql`${expression} as ${raw(dialect.quote(name))}`;
}

/** Hidden columns come always: Fragno's ids are made of them. */
function chooseColumns(table: AnyTable, columns: Columns): readonly AnyColumn[] {
  const all = Object.values(table.columns);
  if (columns === true) return all;
  const chosen = new Set(columns.map((name) => columnOf(table, name)));
  return all.filter((column) => column.isHidden || chosen.has(column));
}

function selectColumn(scope: Scope, alias: string, column: AnyColumn): Selected {
  const reference = columnSql(scope, alias, column.name);
  return { name: column.name, expression: readSql(scope, column, reference), nested: false };
}

function decodeRecord(
  row: Row,
  columns: readonly AnyColumn[],
  joins: readonly JoinPlan[],
): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const column of columns) {
    if (column.isHidden) continue;
    const value = row[column.name];
    record[column.ormName] =
      column.role === "external-id" ? toId(value, row) : decodeColumn(column, value);
  }
  for (const join of joins) record[join.name] = join.decode(row);
  return record;
}

function toId(externalId: unknown, row: Row): FragnoId {
  return new library.FragnoId({
    externalId: String(externalId),
    internalId: BigInt(String(row[INTERNAL_ID])),
    version: Number(row[VERSION]),
  });
}
