/** Statements as the SQLite of Cloudflare's workerd (D1, Durable Objects) takes them. */
import type { SqlValue, Statement } from "../batch.ts";
import { replaceSqlitePlaceholders } from "./placeholders.ts";

/**
 * Makes whole numbers arrive whole: workerd binds every number as a float, so that `5` would be `5.0` in a text and
 * `5 / 2` would be 2.5 (seen in workerd 1.20260426, 2026-11; bigints are refused). Booleans become 0 and 1.
 */
export function toWorkerdStatement({ text, values }: Statement): Statement {
  if (!values.some(isWhole)) return { text, values };
  return {
    // The plus takes the cast's type affinity away: compared with a text column, a bound number has none either.
    text: replaceSqlitePlaceholders(text, (position) =>
      isWhole(values[position - 1]) ? `(+cast(?${position} as integer))` : `?${position}`,
    ),
    values: values.map((value) => (typeof value === "boolean" ? Number(value) : value)),
  };
}

function isWhole(value: SqlValue | undefined): boolean {
  return typeof value === "boolean" || Number.isSafeInteger(value);
}
