/** Creates, updates, deletes and checks as statements with guards. */
import type { FragnoId } from "@fragno-dev/db/schema";
import type { CompiledMutation } from "@fragno-dev/db/unit-of-work";
import type { Statement } from "@escapement/db/client";
import { library } from "./library.ts";
import { dbNow } from "./db-now.ts";
import { compileHookMark } from "./hooks/mark.ts";
import {
  type AnyColumn,
  type AnySchema,
  type AnyTable,
  HOOKS_TABLE,
  INTERNAL_ID,
  VERSION,
  type WriteOperation,
} from "./internals.ts";
import type { RefusedRow } from "./schema-extras.ts";
import { joinSql, param, raw, sql, type Sql } from "./sql.ts";
import { columnSql, type Scope, tableOf, tableSql, toPhysicalName } from "./tables.ts";
import { valueSql } from "./write-columns.ts";

/**
 * Statements in place of the row that a create would insert: for what no unit of work can say. They are sent where the create
 * stands among the other writes; a guard among them that is named `VERSION_GUARD` has the transaction tried again. Values beside
 * them are those of the row that they make.
 */
export const STATEMENTS: unique symbol = Symbol("escapement.statements");

/** A write ready to be sent, guards included. Where the library makes a row, the first statement returns the internal id. */
export interface CompiledWrite {
  readonly statements: readonly (Sql | Statement)[];
  /** The row that the guards check, for messages. */
  readonly row: { readonly physicalTable: string; readonly id: string };
  /** The row that it creates; null: none. */
  readonly created: (RefusedRow & { readonly schema: AnySchema }) | null;
}

/** False if the row no longer has the version that was read. */
export const VERSION_GUARD = "fragno-version";
/** False if the row does not exist. */
export const ROW_GUARD = "fragno-row";

/** A write. @throws {FragnoAdapterError} INVALID_QUERY, INVALID_VALUE */
export function compileWrite(scope: Scope, op: WriteOperation): CompiledMutation<CompiledWrite> {
  const table = tableOf(op.schema, op.table);
  return {
    query: {
      statements: compileStatements(scope, op, table),
      row: { physicalTable: toPhysicalName(table.name, scope.namespace), id: externalIdOf(op) },
      created:
        op.type === "create" && makesRow(op)
          ? { schema: op.schema, table: table.name, values: op.values }
          : null,
    },
    op: op.type,
    // The guards inside the batch check what the library would conclude from these.
    expectedAffectedRows: null,
    expectedReturnedRows: null,
  };
}

/** The statements that a create stands for. */
const statementsOf = ({ values }: { readonly values: object }): readonly Statement[] | null =>
  (values as { readonly [STATEMENTS]?: readonly Statement[] })[STATEMENTS] ?? null;

/** Of statements that make none, the library has given an id to nothing. */
const makesRow = (op: { readonly values: object }): boolean =>
  statementsOf(op) === null || Object.keys(op.values).length > 1;

function compileStatements(
  scope: Scope,
  op: WriteOperation,
  table: AnyTable,
): CompiledWrite["statements"] {
  switch (op.type) {
    case "create":
      return statementsOf(op) ?? [insertSql(scope, table, op.values)];
    case "update":
      if (table.name === HOOKS_TABLE) return [compileHookMark(scope, table, op)];
      return guarded(scope, updateSql(scope, table, op.set, targetSql(scope, table, op)), op);
    case "delete": {
      const statement = sql`delete from ${tableSql(scope, table)} where ${targetSql(scope, table, op)}`;
      return op.checkVersion ? guarded(scope, statement, op) : [statement];
    }
    case "check":
      return [checkSql(scope, table, op.id)];
  }
}

function insertSql(scope: Scope, table: AnyTable, values: Readonly<Record<string, unknown>>): Sql {
  const entries = Object.values(table.columns).flatMap((column): [AnyColumn, unknown][] => {
    const given = values[column.ormName];
    const value = given === undefined ? toDefault(column) : given;
    return column.role === "internal-id" || value === undefined ? [] : [[column, value]];
  });
  const names = entries.map(([column]) => columnSql(scope, null, column.name));
  const items = entries.map(([column, value]) => valueSql(scope, table, column, value));
  return sql`insert into ${tableSql(scope, table)} (${joinSql(names, ", ")}) values (${joinSql(items, ", ")}) returning ${columnSql(scope, null, INTERNAL_ID)}`;
}

/** We compute defaults of the current time ourselves, because the databases' own differ in time zone and format. */
function toDefault(column: AnyColumn): unknown {
  if (column.default === undefined || "value" in column.default) return undefined;
  const { default: source } = column;
  const isNow = "dbSpecial" in source || source.runtime === "now";
  return isNow ? dbNow() : column.generateDefaultValue();
}

/** The SET and WHERE of an update; it raises the version. */
export function updateSql(
  scope: Scope,
  table: AnyTable,
  set: Readonly<Record<string, unknown>>,
  condition: Sql,
): Sql {
  const version = columnSql(scope, null, VERSION);
  const assignments = Object.values(table.columns).flatMap((column) => {
    const value = set[column.ormName];
    return value === undefined || column.isHidden
      ? []
      : [sql`${columnSql(scope, null, column.name)} = ${valueSql(scope, table, column, value)}`];
  });
  return sql`update ${tableSql(scope, table)} set ${joinSql([...assignments, sql`${version} = ${version} + 1`], ", ")} where ${condition}`;
}

/** The row by its id, and with the version that was read if that is to be checked. */
function targetSql(
  scope: Scope,
  table: AnyTable,
  { id, checkVersion }: { readonly id: FragnoId | string; readonly checkVersion: boolean },
): Sql {
  const hasId = sql`${columnSql(scope, null, table.getIdColumn().name)} = ${param(String(id))}`;
  if (!checkVersion || typeof id === "string") return hasId;
  return sql`${hasId} and ${columnSql(scope, null, VERSION)} = ${param(id.version)}`;
}

/** Keeps a row as it was read until the batch is committed: other writers of the row wait. */
function checkSql(scope: Scope, table: AnyTable, id: FragnoId): Sql {
  const row = targetSql(scope, table, { id, checkVersion: true });
  if (scope.dialect.name === "sqlite")
    return guardSql(
      scope,
      VERSION_GUARD,
      sql`exists (select 1 from ${tableSql(scope, table)} where ${row})`,
    );
  const held = sql`with held as (select 1 from ${tableSql(scope, table)} where ${row} for share)`;
  return sql`${held} ${guardSql(scope, VERSION_GUARD, raw("(select count(*) from held) = 1"))}`;
}

/** The statement, with a guard that it changed one row. */
function guarded(
  scope: Scope,
  statement: Sql,
  op: { readonly id: FragnoId | string; readonly checkVersion: boolean },
): readonly Sql[] {
  // A row that was read and has disappeared is a conflict; a row that was never read is a mistake.
  const wasRead = op.id instanceof library.FragnoId && op.id.internalId !== undefined;
  const name = op.checkVersion || wasRead ? VERSION_GUARD : ROW_GUARD;
  if (scope.dialect.name === "sqlite")
    return [statement, guardSql(scope, name, raw("changes() = 1"))];
  const count = raw("(select count(*) from changed) = 1");
  return [sql`with changed as (${statement} returning 1) ${guardSql(scope, name, count)}`];
}

function guardSql({ dialect }: Scope, name: string, condition: Sql): Sql {
  const [before = "", behind = ""] = dialect.guard(name, "\0").split("\0");
  return sql`${raw(before)}${condition}${raw(behind)}`;
}

function externalIdOf(op: WriteOperation): string {
  return op.type === "create" ? op.generatedExternalId : String(op.id);
}
