/** What an error of a SQLite or libSQL driver means: the one place that knows their codes and messages. */
import type { Conflict, UniqueViolation } from "../batch.ts";
import { DatabaseError } from "../errors.ts";
import { parseGuardName } from "./guard.ts";

// https://www.sqlite.org/rescode.html (read 2026-11): the disk is full or unreadable, the file cannot be opened.
const UNAVAILABLE_CODES = ["SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN"];

// Of @libsql/client 0.18 (`mapHranaErrorCode` and its clients): the connection, not the statement, is at fault.
const UNAVAILABLE_CLIENT_CODES: ReadonlySet<string> = new Set([
  "HRANA_WEBSOCKET_ERROR",
  "HRANA_CLOSED_ERROR",
  "HRANA_PROTO_ERROR",
  "CLIENT_CLOSED",
  "TRANSACTION_CLOSED",
  "TRANSACTION_TIMEOUT",
  "STREAM_EXPIRED",
]);

const UNIQUE_MESSAGE = /UNIQUE constraint failed: (?:index '([^']+)'|([^\n]+))/;

/** Turns anything a SQLite or libSQL driver threw into the outcome of the batch, or the error to throw. */
export function classifySqliteError(error: unknown): Conflict | UniqueViolation | DatabaseError {
  if (DatabaseError.is(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return { kind: "conflict", reason: "busy", guard: null };
  }
  const guard = parseGuardName(message);
  if (guard !== null) return { kind: "conflict", reason: "guard", guard };
  const unique = UNIQUE_MESSAGE.exec(message);
  if (unique !== null) return { kind: "unique", constraint: unique[1] ?? unique[2] ?? "" };
  if (isUnavailable(error, code)) return new DatabaseError("DATABASE_UNAVAILABLE", message, error);
  return new DatabaseError("DATABASE_REJECTED", message, error);
}

function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : "";
  return typeof code === "string" ? code : "";
}

function isUnavailable(error: unknown, code: string): boolean {
  if (UNAVAILABLE_CLIENT_CODES.has(code)) return true;
  if (UNAVAILABLE_CODES.some((prefix) => code.startsWith(prefix))) return true;
  if (code === "SERVER_ERROR") return isPassing(httpStatusOf(error));
  // `fetch` reports a network failure as a TypeError, on every runtime.
  return code === "" && error instanceof TypeError;
}

// A request that the server refuses (bad token, no such database) is refused again; load and faults pass.
function isPassing(httpStatus: number | null): boolean {
  return httpStatus === null || httpStatus >= 500 || httpStatus === 429 || httpStatus === 408;
}

function httpStatusOf(error: unknown): number | null {
  const cause = error instanceof Error ? error.cause : null;
  const status =
    typeof cause === "object" && cause !== null && "status" in cause ? cause.status : null;
  return typeof status === "number" ? status : null;
}
