/** The meaning of errors of the Data API. */
import type { Conflict, UniqueViolation } from "../../batch.ts";
import { isPassingHttpStatus } from "../../dialect/http-status.ts";
import { classifyPostgresError } from "../../dialect/postgres-errors.ts";
import { DatabaseError } from "../../errors.ts";

/** Refused before anything ran, because the database is asleep, waking, or changing its writer. This passes by itself. */
const RESUMING: ReadonlySet<string> = new Set([
  "DatabaseResumingException",
  "DatabaseUnavailableException",
]);

/** Answers with status 400 that pass: a statement reached its limit of 45 seconds; a cluster is being stopped, started or modified. */
const PASSING: ReadonlySet<string> = new Set([
  "StatementTimeoutException",
  "InvalidResourceStateException",
]);

export const isResuming = (error: unknown): boolean =>
  error instanceof Error && RESUMING.has(error.name);

/** The SQLSTATE of a server error, which is at the end of the message; "" for other errors. */
export const sqlStateOf = (error: unknown): string =>
  error instanceof Error ? (/SQLState: ([0-9A-Z]{5})\s*$/.exec(error.message)?.[1] ?? "") : "";

/** The outcome of a batch, or the error to throw, for an error of the SDK. */
export function classifyDataApiError(error: unknown): Conflict | UniqueViolation | DatabaseError {
  if (DatabaseError.is(error) || !(error instanceof Error)) return classifyPostgresError(error);
  const code = sqlStateOf(error);
  if (code === "") {
    const refused = isRefused(error) ? "DATABASE_REJECTED" : "DATABASE_UNAVAILABLE";
    return new DatabaseError(refused, `${error.name}: ${error.message}`, error);
  }
  const severity = /^(?:FATAL|PANIC)/.exec(error.message)?.[0] ?? "ERROR";
  const constraint = / unique constraint "(.*?)"/.exec(error.message)?.[1] ?? "";
  // Code that reads errors expects SQLSTATE in `code`.
  return classifyPostgresError(Object.assign(error, { code, severity, constraint }));
}

/** The endpoint answered, and would give the same answer again. */
function isRefused(error: Error): boolean {
  if (isResuming(error) || PASSING.has(error.name)) return false;
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  return status !== undefined && !isPassingHttpStatus(status);
}
