/** Statements in a transaction on Postgres, whatever its client makes of values. */
import type { Row, Statement } from "../../batch.ts";
import { returnsRows, type Runner } from "./runner.ts";

/** Sends one statement; its rows, of which there are none where `hasRows` is false. */
type Query = (text: string, values: readonly unknown[], hasRows: boolean) => PromiseLike<unknown>;

/**
 * Rows come as JSON text that the database makes: clients parse the types of columns in ways of their own, and are set to
 * others by applications; no client changes a text.
 */
export const postgresRunner = (query: Query): Runner => ({
  run: async ({ text, values }: Statement) => {
    if (!returnsRows(text)) {
      await query(text, values, false);
      return [];
    }
    const rows = await query(
      `with answer as (${text}) select row_to_json(answer)::text as "row" from answer`,
      values,
      true,
    );
    return (rows as readonly { readonly row: string }[]).map(({ row }) => JSON.parse(row) as Row);
  },
});

/** The rows of an answer: of most clients a member of it, of some the answer itself. */
export const rowsOf = (answer: unknown): unknown =>
  Array.isArray(answer) ? answer : (answer as { readonly rows: unknown }).rows;
