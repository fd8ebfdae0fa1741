/** Names of tables and columns in SQL. */
import type { Dialect } from "@escapement/db/client";
import { FragnoAdapterError } from "./errors.ts";
import { type AnyColumn, type AnySchema, type AnyTable, SETTINGS_TABLE } from "./internals.ts";
import { raw, type Sql } from "./sql.ts";

/** The dialect, and the namespace of the operation's schema. */
export interface Scope {
  readonly dialect: Dialect;
  readonly namespace: string;
}

/** The physical name of a logical table: `<table>_<namespace>`; without a namespace, the table's own name. */
export function toPhysicalName(table: string, namespace: string): string {
  return namespace === "" || table === SETTINGS_TABLE ? table : `${table}_${namespace}`;
}

/** The logical name of a physical table; a name from another namespace stays unchanged. */
export function toLogicalName(table: string, namespace: string): string {
  const suffix = `_${namespace}`;
  return namespace !== "" && table.endsWith(suffix) ? table.slice(0, -suffix.length) : table;
}

/** A table, quoted. */
export function tableSql({ dialect, namespace }: Scope, table: AnyTable): Sql {
  return raw(dialect.quote(toPhysicalName(table.name, namespace)));
}

/** A column of the row called `alias`; without an alias, of the only table. */
export function columnSql({ dialect }: Scope, alias: string | null, name: string): Sql {
  return raw(alias === null ? dialect.quote(name) : `${alias}.${dialect.quote(name)}`);
}

/** The table of a write, by its logical name. @throws {FragnoAdapterError} INVALID_QUERY */
export function tableOf(schema: AnySchema, name: string): AnyTable {
  const table = schema.tables[name];
  if (table === undefined)
    throw new FragnoAdapterError("INVALID_QUERY", `The schema has no table "${name}"`, { name });
  return table;
}

/** The column of a table. @throws {FragnoAdapterError} INVALID_QUERY */
export function columnOf(table: AnyTable, name: string): AnyColumn {
  const column = table.columns[name];
  if (column === undefined)
    throw new FragnoAdapterError(
      "INVALID_QUERY",
      `The table "${table.name}" has no column "${name}"`,
      { table: table.name, name },
    );
  return column;
}
