/**
 * Joins as subqueries that return JSON: joins neither multiply nor limit the parent's rows, they can be nested to any depth, and
 * the whole read stays one statement.
 */
import type { Row } from "@escapement/db";
import { columnTypesOf } from "./column-types.ts";
import { conditionSql } from "./conditions.ts";
import { type AnyRelation, type AnyTable, INTERNAL_ID, type JoinOptions } from "./internals.ts";
import { type Selected, selectedSql, type Selection } from "./selection.ts";
import { joinSql, param, raw, sql, type Sql } from "./sql.ts";
import { columnOf, columnSql, type Scope, tableSql } from "./tables.ts";

/** A join of a read. */
export interface JoinPlan {
  /** The name of the relation, and of the record's member. */
  readonly name: string;
  /** What to select; null if no row can meet the join's condition. */
  readonly item: Selected | null;
  readonly decode: (row: Row) => unknown;
}

interface JoinRequest {
  readonly parent: { readonly table: AnyTable; readonly alias: string };
  readonly relation: AnyRelation;
  readonly options: JoinOptions;
  /** The alias of the joined row in the statement. */
  readonly alias: string;
  /** The selection from the joined row. */
  readonly selection: Selection;
}

/** A join whose condition no row can meet. */
export const planEmptyJoin = ({ name, type }: AnyRelation): JoinPlan => ({
  name,
  item: null,
  decode: () => (type === "many" ? [] : null),
});

/** Plans one join. */
export function planJoin(scope: Scope, request: JoinRequest): JoinPlan {
  const { relation, selection } = request;
  const many = relation.type === "many";
  const { name } = relation;
  const column = `${name}:`;
  const rows = joinedRows(scope, request);
  return {
    name,
    item: { name: column, expression: jsonSql(scope, selection.items, rows, many), nested: true },
    decode(row) {
      const value = parseOnce(row[column]);
      if (many) return (value as readonly Row[]).map(selection.decode);
      return value === null ? null : selection.decode(value as Row);
    },
  };
}

/** A column with JSON is text in a row, and plain JSON inside other JSON. */
function parseOnce(value: unknown): unknown {
  return typeof value === "string" ? (JSON.parse(value) as unknown) : (value ?? null);
}

function jsonSql(scope: Scope, items: readonly Selected[], rows: Sql, many: boolean): Sql {
  const types = columnTypesOf(scope.dialect);
  const object = types.jsonRow(items);
  return sql`(select ${raw(many ? types.jsonRows(object) : object)} from (${rows}) as r)`;
}

function joinedRows(
  scope: Scope,
  { parent, relation, options, alias, selection }: JoinRequest,
): Sql {
  const selected = joinSql(
    selection.items.map((item) => selectedSql(scope, item)),
    ", ",
  );
  const conditions = [
    ...relation.on.map(([left, right]) => {
      const [near, far] = joinedColumns(relation, parent.table, left, right);
      return sql`${columnSql(scope, alias, far)} = ${columnSql(scope, parent.alias, near)}`;
    }),
    conditionSql(scope, { table: relation.table, alias }, options.where ?? true),
  ];
  const limit = relation.type === "one" ? 1 : options.limit;
  return sql`select ${selected} from ${tableSql(scope, relation.table)} as ${raw(alias)} where ${joinSql(conditions, " and ")} order by ${orderSql(scope, alias, options)}${limit === undefined ? raw("") : sql` limit ${param(limit)}`}`;
}

/** References contain internal ids, whatever the relation's declaration says about `id`. */
function joinedColumns(
  relation: AnyRelation,
  parent: AnyTable,
  left: string,
  right: string,
): readonly [string, string] {
  const [near, far] = [columnOf(parent, left), columnOf(relation.table, right)];
  const isReference = near.role === "reference" || far.role === "reference";
  const toName = (column: typeof near): string =>
    isReference && column.role === "external-id" ? INTERNAL_ID : column.name;
  return [toName(near), toName(far)];
}

function orderSql(scope: Scope, alias: string, options: JoinOptions): Sql {
  const wanted = (options.orderBy ?? []).map(
    ([column, direction]) => sql`${columnSql(scope, alias, column.name)} ${raw(direction)}`,
  );
  return joinSql([...wanted, columnSql(scope, alias, INTERNAL_ID)], ", ");
}
