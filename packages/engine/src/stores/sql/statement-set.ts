/** Every statement of the store except those that are compiled by the calls that need them. */
import type { Dialect } from "@escapement/db/client";
import { compileRareStatements, type StatementSet } from "./rare-statements.ts";
import type { RowsStatementRows, StatementRows } from "./rows.ts";
import { compileRunStatements, toStoreDialect } from "./run-statements.ts";

export type StatementName = keyof StatementRows;

/** Statements over rows of the caller. */
export type RowsStatementName = keyof RowsStatementRows;

/** Compiles them. @param notifies as in `toStoreDialect` */
export function compileStatements(own: Dialect, notifies: boolean = false): StatementSet {
  const dialect = toStoreDialect(own, notifies);
  return { ...compileRunStatements(dialect), ...compileRareStatements(dialect) };
}
