/** Rows of the SQLite drivers: `libsql` makes the name of each column anew for each row, a fifth of what reading it costs. */
import type { Row } from "../batch.ts";

/** What gives its rows as arrays, where the driver can. */
interface NumberedColumns {
  /** From now on. */
  raw?(): unknown;
  columns?(): readonly { readonly name: string }[];
}

/** `select *` and its like: the columns are those that the table has by then. */
export const readsAllColumns = (text: string): boolean =>
  /(?:\b(?:select|distinct|all|returning)|[,.])\s*\*/i.test(text);

/** Has a statement give its rows as arrays. @returns the names of the columns; null: the driver gives objects */
export function nameByNumber(statement: NumberedColumns): readonly string[] | null {
  if (statement.raw === undefined || statement.columns === undefined) return null;
  statement.raw();
  return statement.columns().map(({ name }) => name);
}

/** @param names null: the rows are objects */
export const toRows = (
  given: readonly unknown[],
  names: readonly string[] | null,
): readonly Row[] =>
  names === null
    ? (given as readonly Row[])
    : (given as readonly (readonly unknown[])[]).map((values) => toRow(names, values));

function toRow(names: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index += 1) row[names[index] as string] = values[index];
  return row;
}
