/** The selection of a read with its joins, and how its rows become records. */
import type { FragnoId } from "@fragno-dev/db/schema";
import type { Row } from "@escapement/db";
import { library } from "./library.ts";
import { type AnyColumn, type AnyTable, INTERNAL_ID, type Join, VERSION } from "./internals.ts";
import { type JoinPlan, planEmptyJoin, planJoin } from "./joins.ts";
import { decodeColumn, readSql } from "./read-columns.ts";
import type { Selected, Selection } from "./selection.ts";
import { columnOf, columnSql, type Scope } from "./tables.ts";

/** The columns of a read; true: all. */
export type Columns = true | readonly string[];

/** Plans the selection from a table's row called `alias`, with its joins. */
export function planSelection(
  scope: Scope,
  source: { readonly table: AnyTable; readonly alias: string },
  wanted: { readonly columns: Columns; readonly joins: readonly Join[] },
): Selection {
  const { table, alias } = source;
  const columns = chooseColumns(table, wanted.columns);
  const joins = wanted.joins.map((join, index) =>
    planWithNested(scope, source, join, `${alias}_${index}`),
  );
  return {
    items: [
      ...columns.map((column) => selectColumn(scope, alias, column)),
      ...joins.flatMap((join) => (join.item === null ? [] : [join.item])),
    ],
    decode: (row) => decodeRecord(row, columns, joins),
  };
}

/** A join; its own selection with its inner joins is planned first. */
function planWithNested(
  scope: Scope,
  parent: { readonly table: AnyTable; readonly alias: string },
  join: Join,
  alias: string,
): JoinPlan {
  const { relation, options } = join;
  if (options === false) return planEmptyJoin(relation);
  const selection = planSelection(
    scope,
    { table: relation.table, alias },
    { columns: options.select, joins: options.join ?? [] },
  );
  return planJoin(scope, { parent, relation, options, alias, selection });
}

/** Hidden columns are always included, because Fragno's ids are made of them. */
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
