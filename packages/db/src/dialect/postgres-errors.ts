/** What an error of a Postgres driver means: the one place that knows SQLSTATEs. */
import type { Conflict, UniqueViolation } from "../batch.ts";
import { DatabaseError, type DatabaseErrorCode } from "../errors.ts";
import { parseGuardName } from "./guard.ts";

/** The fields of an error that the server sent; a driver's own error (lost socket) has no `severity`. */
interface ServerError {
  readonly message: string;
  readonly code: string;
  readonly severity: string;
  readonly constraint?: string | undefined;
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html (read 2026-11)
const CONFLICTS: Readonly<Record<string, Conflict["reason"]>> = {
  "40001": "serialization",
  "40P01": "deadlock",
  "55P03": "busy",
};

// Connection exceptions, insufficient resources, operator intervention, system errors: they pass by themselves.
const UNAVAILABLE_CLASSES: ReadonlySet<string> = new Set(["08", "53", "57", "58"]);
// A read-only server: a failover is under way and this was the old primary, or a standby.
const READ_ONLY = "25006";
// Raised at connecting because of wrong credentials or names; waiting does not mend them.
const MISCONFIGURED: ReadonlySet<string> = new Set(["28000", "28P01", "3D000"]);
// Also sent for a statement with the wrong number of parameters; then it does not end the connection.
const PROTOCOL_VIOLATION = "08P01";

/**
 * Turns anything a Postgres driver threw or reported into the outcome of the batch, or the error to throw.
 *
 * @param other code for what the server did not send: with a network in between it is a lost connection
 */
export function classifyPostgresError(
  error: unknown,
  other: DatabaseErrorCode = "DATABASE_UNAVAILABLE",
): Conflict | UniqueViolation | DatabaseError {
  if (DatabaseError.is(error)) return error;
  if (!isServerError(error)) return toDatabaseError(other, error);
  const reason = CONFLICTS[error.code];
  if (reason !== undefined) return { kind: "conflict", reason, guard: null };
  if (error.code === "23505") return { kind: "unique", constraint: error.constraint ?? "" };
  const guard = error.code === "22P02" ? parseGuardName(error.message) : null;
  if (guard !== null) return { kind: "conflict", reason: "guard", guard };
  return toDatabaseError(
    isUnavailable(error) ? "DATABASE_UNAVAILABLE" : "DATABASE_REJECTED",
    error,
  );
}

/** Whether the connection that reported the error is of no more use. */
export function endsConnection(error: unknown): boolean {
  if (DatabaseError.is(error)) return false;
  return !isServerError(error) || isFatal(error);
}

function isFatal(error: ServerError): boolean {
  return error.severity === "FATAL" || error.severity === "PANIC";
}

function isServerError(error: unknown): error is ServerError {
  return (
    typeof error === "object" &&
    error !== null &&
    "severity" in error &&
    typeof error.severity === "string" &&
    "code" in error &&
    typeof error.code === "string"
  );
}

function isUnavailable(error: ServerError): boolean {
  if (MISCONFIGURED.has(error.code)) return false;
  if (isFatal(error)) return true;
  if (error.code === PROTOCOL_VIOLATION) return false;
  return error.code === READ_ONLY || UNAVAILABLE_CLASSES.has(error.code.slice(0, 2));
}

function toDatabaseError(code: DatabaseErrorCode, error: unknown): DatabaseError {
  const message =
    error instanceof Error && error.message !== "" ? error.message : "connection lost";
  return new DatabaseError(code, message, error);
}
