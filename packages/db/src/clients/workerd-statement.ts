/** Statements in the form for the SQLite of Cloudflare's workerd (D1, Durable Objects). */
import type { SqlValue, Statement } from "../batch.ts";
import { assertOneStatement } from "./one-statement.ts";
import { replaceSqlitePlaceholders } from "./placeholders.ts";

/**
 * Keeps whole numbers whole: workerd binds every number as a float, so that `5` would become `5.0` in a text and `5 / 2` would be
 * 2.5 (seen in workerd 1.20260426, 2026-11; bigints are refused). Booleans become 0 and 1.
 */
export function toWorkerdStatement({ text, values }: Statement): Statement {
  assertOneStatement(text);
  if (!values.some(isWhole)) return { text, values };
  return {
    // The plus removes the cast's type affinity, because a bound number has none either when it is compared with a text column.
    text: replaceSqlitePlaceholders(text, (position) =>
      isWhole(values[position - 1]) ? `(+cast(?${position} as integer))` : `?${position}`,
    ),
    values: values.map((value) => (typeof value === "boolean" ? Number(value) : value)),
  };
}

function isWhole(value: SqlValue | undefined): boolean {
  return typeof value === "boolean" || Number.isSafeInteger(value);
}
