/** Statements that are compiled on first use, once per dialect: those that most ticks never send. */
import type { Dialect, SqlValue } from "@escapement/db/client";
import type { Query } from "./rows.ts";
import { prepareRows, prepareSingle } from "./run-statements.ts";
import type { RowsStatement, SingleStatement } from "./statements/given-rows.ts";

type Text = (dialect: Dialect) => string;

export const query = <Row = never>(
  dialect: Dialect,
  text: Text,
  ...values: readonly SqlValue[]
): Query<Row> => ({ text: textOf(dialect, text), values });

/** The same for a text that was compiled already. */
export const queryText = <Row = never>(
  text: string,
  ...values: Query<Row>["values"]
): Query<Row> => ({
  text,
  values,
});

/** The same for a statement over rows; null: there are no rows. */
export const queryRows = <Row = never>(
  dialect: Dialect,
  statement: RowsStatement,
  rows: readonly object[],
): Query<Row> | null => (rows.length === 0 ? null : queryGiven(dialect, statement, rows));

/** The same for one row at least. */
export const queryGiven = <Row = never>(
  dialect: Dialect,
  statement: RowsStatement,
  rows: readonly object[],
): Query<Row> => overRows(dialect, statement)(rows);

/** The same for one row, which is given by its values. */
export const queryRow = <Row = never>(
  dialect: Dialect,
  statement: SingleStatement,
  row: object,
): Query<Row> => overRow(dialect, statement)(row);

const textOf = oncePerDialect((dialect, text: Text) => text(dialect));
const overRows = oncePerDialect(prepareRows);
const overRow = oncePerDialect((dialect, { columns, text }: SingleStatement) =>
  prepareSingle(columns, text(dialect)),
);

/** Makes something on first use, once per dialect. */
export function oncePerDialect<Source, Made>(
  make: (dialect: Dialect, source: Source) => Made,
): (dialect: Dialect, source: Source) => Made {
  const made = new WeakMap<Dialect, Map<Source, Made>>();
  return (dialect, source) => {
    const own = made.get(dialect) ?? new Map<Source, Made>();
    const one = own.get(source) ?? make(dialect, source);
    if (!own.has(source)) made.set(dialect, own.set(source, one));
    return one;
  };
}
