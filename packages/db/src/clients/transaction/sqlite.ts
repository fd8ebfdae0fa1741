/** Statements in a transaction on SQLite. */
import type { Row, SqlValue, Statement } from "../../batch.ts";
import { replaceSqlitePlaceholders } from "../placeholders.ts";
import { type SqliteParameter, toSqliteParameter } from "../sqlite-values.ts";
import { returnsRows, type Runner } from "./runner.ts";

/** A statement whose placeholders are plain question marks, which every client accepts. */
export interface SqliteQuery {
  readonly text: string;
  readonly values: readonly SqliteParameter[];
  readonly returnsRows: boolean;
}

/** Runs statements; returns the rows of those that have some. */
export const sqliteRunner = (
  query: (query: SqliteQuery) => unknown,
  assertOpen: () => void = () => undefined,
): Runner => ({
  assertOpen,
  run: (statement) => {
    const asked = toSqliteQuery(statement);
    const answer = query(asked);
    if (answer instanceof Promise) return answer.then((rows) => toRows(asked, rows));
    return toRows(asked, answer);
  },
});

function toSqliteQuery({ text, values }: Statement): SqliteQuery {
  const given: SqliteParameter[] = [];
  const plain = replaceSqlitePlaceholders(text, (position) => {
    given.push(toSqliteParameter(values[position - 1] as SqlValue));
    return "?";
  });
  return { text: plain, values: given, returnsRows: returnsRows(text) };
}

/** Integers may be bigints if the application has asked for them. */
const toRows = ({ returnsRows: hasRows }: SqliteQuery, answer: unknown): readonly Row[] =>
  hasRows
    ? (answer as readonly object[]).map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]: [string, unknown]) => [
            name,
            typeof value === "bigint" ? Number(value) : value,
          ]),
        ),
      )
    : [];
