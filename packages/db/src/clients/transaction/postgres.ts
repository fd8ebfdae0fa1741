/** Statements in a transaction on Postgres, whatever its client does to values. */
import type { Row, Statement } from "../../batch.ts";
import { returnsRows, type Runner } from "./runner.ts";

/** Sends one statement; returns its rows, or none if `hasRows` is false. */
type Query = (text: string, values: readonly unknown[], hasRows: boolean) => PromiseLike<unknown>;

/**
 * The database returns rows as JSON text. Clients parse columns by type in their own ways, and applications change that, but no
 * client changes a text.
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

/** The rows of an answer: a member of it in most clients, and the answer itself in some. */
export const rowsOf = (answer: unknown): unknown =>
  Array.isArray(answer) ? answer : (answer as { readonly rows: unknown }).rows;
