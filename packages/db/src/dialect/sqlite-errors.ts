/** The meaning of errors of SQLite and libSQL drivers: the one place that knows their codes and messages. */
import type { Conflict, UniqueViolation } from "../batch.ts";
import { DatabaseError } from "../errors.ts";
import { parseGuardName } from "./guard.ts";
import { isAccessStatus, isPassingHttpStatus } from "./http-status.ts";

// https://www.sqlite.org/rescode.html (read 2026-11): the disk is full or unreadable, the file cannot be opened.
const UNAVAILABLE_CODES = ["SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN"];

// The file is read-only, or is not a database, so the statement is not at fault.
const ACCESS_CODES = ["SQLITE_READONLY", "SQLITE_NOTADB"];

// From @libsql/client 0.18 (`mapHranaErrorCode` and its clients): the connection is at fault, not the statement.
const UNAVAILABLE_CLIENT_CODES: ReadonlySet<string> = new Set([
  "HRANA_WEBSOCKET_ERROR",
  "HRANA_CLOSED_ERROR",
  "HRANA_PROTO_ERROR",
  "CLIENT_CLOSED",
  "TRANSACTION_CLOSED",
  "TRANSACTION_TIMEOUT",
  "STREAM_EXPIRED",
]);

// https://www.sqlite.org/rescode.html (read 2026-11), and SQLite's own texts for them (`sqlite3_errstr`). `node:sqlite` has the number in
// `errcode`, whose low byte is the primary code; Deno's omits it from errors of `exec` (2.9.6).
const NAMES_BY_NUMBER: Readonly<Record<number, string>> = {
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  26: "SQLITE_NOTADB",
};
const NAMES_BY_MESSAGE: Readonly<Record<string, string>> = {
  "database is locked": "SQLITE_BUSY",
  "database table is locked": "SQLITE_LOCKED",
  "attempt to write a readonly database": "SQLITE_READONLY",
  "disk I/O error": "SQLITE_IOERR",
  "database or disk is full": "SQLITE_FULL",
  "unable to open database file": "SQLITE_CANTOPEN",
  "file is not a database": "SQLITE_NOTADB",
};
const NODE_SQLITE_ERROR = "ERR_SQLITE_ERROR";

// workerd (D1, Durable Objects) appends the name of the code to the message, and D1 adds its own at the front.
const WORKERD_CODE = /: (SQLITE_[A-Z_]+)(?: \(extended: SQLITE_[A-Z_]+\))?$/;

// https://developers.cloudflare.com/d1/observability/debug-d1/ (read 2026-11), and the similar messages of a Durable Object's
// binding. All of them pass, because they come from load.
const UNAVAILABLE_D1_MESSAGES = [
  "Network connection lost",
  "object to be reset",
  "and was reset",
  "reset because its code was updated",
  "due to transient issue on remote node",
  "because client disconnected",
  "is overloaded",
];

const UNIQUE_MESSAGE =
  /UNIQUE constraint failed: (?:index '([^']+)'|([^\n]+?))(?=: SQLITE_CONSTRAINT|\n|$)/;

/** Turns anything a SQLite or libSQL driver threw into the outcome of the batch, or the error to throw. */
export function classifySqliteError(error: unknown): Conflict | UniqueViolation | DatabaseError {
  if (DatabaseError.is(error)) return error;
  const message = messageOf(error);
  const code = codeOf(error, message);
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return { kind: "conflict", reason: "busy", guard: null };
  }
  const guard = parseGuardName(message);
  if (guard !== null) return { kind: "conflict", reason: "guard", guard };
  const unique = UNIQUE_MESSAGE.exec(message);
  if (unique !== null) return { kind: "unique", constraint: unique[1] ?? unique[2] ?? "" };
  if (isUnavailable(error, code, message))
    return new DatabaseError("DATABASE_UNAVAILABLE", message, error);
  const isOfAccess = isAccessRefused(error, code);
  return new DatabaseError(
    isOfAccess ? "DATABASE_ACCESS_REFUSED" : "DATABASE_REJECTED",
    message,
    error,
  );
}

/** Also reads an error that a client has taken apart. */
function messageOf(error: unknown): string {
  const isTold = typeof error === "object" && error !== null && "message" in error;
  return isTold ? String(error.message) : String(error);
}

function codeOf(error: unknown, message: string): string {
  if (typeof error !== "object" || error === null) return "";
  if (!("code" in error) || typeof error.code !== "string") {
    return WORKERD_CODE.exec(message)?.[1] ?? "";
  }
  if (error.code !== NODE_SQLITE_ERROR) return error.code;
  const number = "errcode" in error && typeof error.errcode === "number" ? error.errcode : 0;
  return NAMES_BY_NUMBER[number % 256] ?? NAMES_BY_MESSAGE[message] ?? error.code;
}

function isUnavailable(error: unknown, code: string, message: string): boolean {
  if (UNAVAILABLE_CLIENT_CODES.has(code)) return true;
  if (UNAVAILABLE_CODES.some((prefix) => code.startsWith(prefix))) return true;
  if (code === "SERVER_ERROR") return isPassing(httpStatusOf(error));
  if (code !== "") return false;
  if (UNAVAILABLE_D1_MESSAGES.some((part) => message.includes(part))) return true;
  // `fetch` reports a network failure as a TypeError, on every runtime.
  return error instanceof TypeError;
}

function isAccessRefused(error: unknown, code: string): boolean {
  if (code === "SERVER_ERROR") return isAccessStatus(httpStatusOf(error));
  return ACCESS_CODES.some((prefix) => code.startsWith(prefix));
}

function isPassing(httpStatus: number | null): boolean {
  return httpStatus === null || isPassingHttpStatus(httpStatus);
}

function httpStatusOf(error: unknown): number | null {
  const cause = error instanceof Error ? error.cause : null;
  const status =
    typeof cause === "object" && cause !== null && "status" in cause ? cause.status : null;
  return typeof status === "number" ? status : null;
}
