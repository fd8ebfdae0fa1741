/** Postgres statements with their values in the text, for protocols without parameters. */
import type { SqlValue, Statement } from "../batch.ts";
import { DatabaseError } from "../errors.ts";
import { replacePostgresPlaceholders } from "./placeholders.ts";

/**
 * The statement's text with each `$1` replaced by its value as a quoted literal without a type. Postgres infers the same type as for a
 * parameter.
 *
 * @throws {DatabaseError} DATABASE_REJECTED — a value is missing or contains NUL, or the text is not exactly one complete statement;
 *   nothing was sent
 */
export function inlineParameters({ text, values }: Statement): string {
  const inlined = replacePostgresPlaceholders(
    text,
    (position) => {
      const value = values[position - 1];
      if (value === undefined) throw reject(`there is no value for $${position}`);
      return toLiteral(value);
    },
    (token) => {
      throw reject(`${token} is not allowed there in a batch's statement`);
    },
  );
  // It would end the message.
  if (inlined.includes("\0")) throw reject("a NUL character, which Postgres cannot store");
  return inlined;
}

// Like libpq's PQescapeLiteral: correct whatever the setting of `standard_conforming_strings`.
function toLiteral(value: SqlValue): string {
  if (value === null) return "null";
  const text = String(value).replaceAll("'", "''");
  return text.includes("\\") ? ` E'${text.replaceAll("\\", "\\\\")}'` : `'${text}'`;
}

function reject(why: string): DatabaseError {
  return new DatabaseError("DATABASE_REJECTED", why, new SyntaxError(why));
}
