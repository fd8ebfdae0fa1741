/** Recognises statements that failed because the tables are missing or have another version. */
import { DatabaseError } from "@escapement/db/client";
import { WorkflowError } from "../../../core/errors.ts";

/**
 * Postgres: undefined_table, undefined_column, invalid_schema_name.
 *
 * @source https://www.postgresql.org/docs/current/errcodes-appendix.html, read 2026-11-21
 */
const MISSING_CODES: ReadonlySet<unknown> = new Set(["42P01", "42703", "3F000"]);

/** SQLite and libSQL have one code for all SQL errors, so only the text can tell. */
const MISSING_TEXT = /no such (table|column)|has no column named/u;

/**
 * Turns "relation does not exist" and "no such table" (and column) into SCHEMA_MISMATCH that says to migrate.
 *
 * @param error what `Database.batch` threw
 * @returns the error to throw instead, or null when `error` is about something else
 */
export const toSchemaMismatch = (error: unknown): WorkflowError | null =>
  toMismatch(
    error,
    "The workflow tables are missing or older than this code: run migrate(database) or store.migrate() once",
  );

/** Like `toSchemaMismatch`, for a transaction of a caller's, which may be on another database than the store. */
export const toSchemaMismatchWithin = (error: unknown): WorkflowError | null =>
  toMismatch(
    error,
    "The transaction does not see the workflow tables of this code: it must be on the database and the search_path of the engine's store, where store.migrate() creates them",
  );

function toMismatch(error: unknown, message: string): WorkflowError | null {
  if (!DatabaseError.is(error) || error.code !== "DATABASE_REJECTED" || !isMissing(error))
    return null;
  return new WorkflowError("SCHEMA_MISMATCH", `${message} (${error.message})`, {}, error);
}

/** Looks at the error and its causes, because clients wrap the driver's error, and drivers wrap the server's. */
function isMissing(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < 5 && typeof current === "object"; depth += 1) {
    const { code, message, cause } = Object(current) as Readonly<Record<string, unknown>>;
    if (MISSING_CODES.has(code) || MISSING_TEXT.test(String(message))) return true;
    current = cause;
  }
  return false;
}
