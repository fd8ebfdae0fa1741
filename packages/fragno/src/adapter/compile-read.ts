/** Finds and counts as one statement each. */
import type { Row } from "@escapement/db";
import { buildCondition, conditionSql } from "./conditions.ts";
import {
  cursorItems,
  isBackward,
  orderSql,
  type PageOrder,
  pageSql,
  toCursor,
  toPageOrder,
} from "./cursors.ts";
import type { Condition, FindOperation, ReadOperation } from "./internals.ts";
import { planSelection } from "./select.ts";
import { selectedSql, type Selection } from "./selection.ts";
import { joinSql, param, raw, sql, type Sql } from "./sql.ts";
import { type Scope, tableSql } from "./tables.ts";

/** A read that is ready to be sent. */
export interface CompiledRead {
  /** The statement; null if it is known that there are no rows. */
  readonly sql: Sql | null;
  /** It changes rows, so it must be a statement of its own. */
  readonly writes: boolean;
  readonly decode: (rows: readonly Row[]) => unknown;
}

/** The alias of the main table's row. */
export const ROOT_ALIAS = "t";

/** A read, except of hooks. @throws {FragnoAdapterError} INVALID_QUERY, INVALID_VALUE, INVALID_CURSOR */
export function compileRead(scope: Scope, op: ReadOperation): CompiledRead {
  const where = buildCondition(op.table, op.options.where);
  return op.type === "count" ? compileCount(scope, op, where) : compileFind(scope, op, where);
}

function compileCount(
  scope: Scope,
  { table }: ReadOperation,
  where: Condition | boolean,
): CompiledRead {
  const condition = conditionSql(scope, { table, alias: ROOT_ALIAS }, where);
  const text = sql`select count(*) as "count" from ${tableSql(scope, table)} as ${raw(ROOT_ALIAS)} where ${condition}`;
  return {
    sql: where === false ? null : text,
    writes: false,
    decode: (rows) => Number(rows[0]?.["count"] ?? 0),
  };
}

/** A find whose condition is already built. */
export function compileFind(
  scope: Scope,
  op: FindOperation,
  where: Condition | boolean,
): CompiledRead {
  const order = toPageOrder(op);
  const selection = planSelection(
    scope,
    { table: op.table, alias: ROOT_ALIAS },
    { columns: op.options.select ?? true, joins: op.options.joins ?? [] },
  );
  const extras =
    order !== null && op.withCursor === true ? cursorItems(scope, ROOT_ALIAS, order) : [];
  const selected = [...selection.items, ...extras].map((item) => selectedSql(scope, item));
  const clauses = [
    sql`select ${joinSql(selected, ", ")} from ${tableSql(scope, op.table)} as ${raw(ROOT_ALIAS)}`,
    sql`where ${conditionSql(scope, { table: op.table, alias: ROOT_ALIAS }, where)}`,
    ...(order === null
      ? []
      : [
          sql`and ${pageSql(scope, op.table, ROOT_ALIAS, order)}`,
          sql`order by ${orderSql(scope, ROOT_ALIAS, order)}`,
        ]),
    ...limitSql(op),
  ];
  return {
    sql: where === false ? null : joinSql(clauses, " "),
    writes: false,
    decode: (rows) => decodeFind(op, order, selection, rows),
  };
}

/** A page reads one more row, to know whether there is a next page. */
function limitSql({ options: { pageSize }, withCursor }: FindOperation): readonly Sql[] {
  if (pageSize === undefined) return [];
  return [sql`limit ${param(withCursor === true ? pageSize + 1 : pageSize)}`];
}

function decodeFind(
  op: FindOperation,
  order: PageOrder | null,
  selection: Selection,
  rows: readonly Row[],
): unknown {
  const pageSize = op.options.pageSize ?? rows.length;
  const page = rows.slice(0, pageSize);
  const backward = order !== null && isBackward(order);
  const items = (backward ? page.toReversed() : page).map(selection.decode);
  if (op.withCursor !== true || order === null) return items;
  const last = page.at(-1);
  // The next page continues from the last row that was read, which on a backward page is its first.
  return rows.length > page.length && last !== undefined
    ? { items, cursor: toCursor(order, last, pageSize), hasNextPage: true }
    : { items, cursor: undefined, hasNextPage: false };
}
