/** Rows of the SQLite drivers. `libsql` creates the name of each column again for each row, which is a fifth of the cost of reading it. */
import type { Row } from "../batch.ts";

/** A statement that can return its rows as arrays, if the driver supports it. */
interface NumberedColumns {
  /** From now on, rows are arrays. */
  raw?(): unknown;
  columns?(): readonly { readonly name: string }[];
}

/** Whether the text selects `*`, so that the columns are those of the table when it runs. */
export const readsAllColumns = (text: string): boolean =>
  /(?:\b(?:select|distinct|all|returning)|[,.])\s*\*/i.test(text);

/** Makes a statement return its rows as arrays. @returns the names of the columns; null: the driver returns objects */
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
