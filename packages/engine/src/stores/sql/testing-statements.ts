/** Texts of statements. */
import type { Dialect } from "@escapement/db/client";
import {
  compileStatements,
  type RowsStatementName,
  type StatementName,
} from "../../testing/plans/compile-statements.ts";

export function textOf(dialect: Dialect, name: StatementName | RowsStatementName): string {
  const statements = compileStatements(dialect);
  return isOverRows(name) ? statements[name]([]).text : statements[name]().text;
}

export const isOverRows = (name: StatementName | RowsStatementName): name is RowsStatementName =>
  /^(?:commit|selectCreated|insertInstances|insertTasks)/u.test(name);
