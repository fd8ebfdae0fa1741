/** The meaning of errors of Postgres drivers: the one place that knows SQLSTATEs. */
import type { Conflict, UniqueViolation } from "../batch.ts";
import { DatabaseError, type DatabaseErrorCode } from "../errors.ts";
import { parseGuardName } from "./guard.ts";
import { isAccessStatus, isPassingHttpStatus } from "./http-status.ts";

/** The fields of an error that the server sent; a driver's own error (lost socket) has no `severity`. */
interface ServerError {
  readonly message: string;
  /** SQLSTATE. */
  readonly code: string;
  readonly severity: string;
  readonly constraint: string;
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html (read 2026-11)
const CONFLICTS: Readonly<Record<string, Conflict["reason"]>> = {
  "40001": "serialization",
  "40P01": "deadlock",
  "55P03": "locked",
};

// Connection exceptions, insufficient resources, operator intervention and system errors: they pass by themselves.
const UNAVAILABLE_CLASSES: ReadonlySet<string> = new Set(["08", "53", "57", "58"]);
// A read-only server: a standby, or the old primary during a failover.
const READ_ONLY = "25006";
// Raised when connecting, because of wrong credentials or names; waiting does not help. A lack of rights (42501) can also come from a
// statement; it is fatal only when connecting.
const ACCESS_REFUSED: ReadonlySet<string> = new Set(["28000", "28P01", "3D000"]);
const NO_RIGHT = "42501";
// Errors that pg reports without asking the server, and Neon's endpoint without a SQLSTATE.
const BAD_PASSWORD = /^SASL: .*password|^password authentication failed/u;
// pg's error if the URL asks for TLS (`sslmode=require`) and the server has none.
const NO_TLS = "The server does not support SSL connections";
// From Node's TLS: the certificate is not the one that the URL asks for.
// https://nodejs.org/docs/latest-v24.x/api/tls.html#x509-certificate-error-codes (read 2026-11)
const BAD_CERTIFICATE: ReadonlySet<unknown> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);
// Also sent for a statement with the wrong number of parameters; then the connection stays open.
const PROTOCOL_VIOLATION = "08P01";
// The error of Neon's driver for an HTTP status other than 200 and 400 (@neondatabase/serverless 1.2, `src/httpQuery.ts`).
const NEON_HTTP_STATUS = /^Server error \(HTTP status (\d{3})\)/;

/**
 * Turns anything that a Postgres driver threw or reported into the outcome of the batch, or the error to throw.
 *
 * @param other code for errors that the server did not send: over a network that is a lost connection
 */
export function classifyPostgresError(
  error: unknown,
  other: DatabaseErrorCode = "DATABASE_UNAVAILABLE",
): Conflict | UniqueViolation | DatabaseError {
  if (DatabaseError.is(error)) return error;
  const sent = readServerError(error);
  if (isAccessRefused(sent, error)) return toDatabaseError("DATABASE_ACCESS_REFUSED", error);
  if (sent === null) {
    const status = readNeonStatus(error);
    const isRefused = status !== null && !isPassingHttpStatus(status);
    return toDatabaseError(isRefused ? "DATABASE_REJECTED" : other, error);
  }
  const reason = CONFLICTS[sent.code];
  if (reason !== undefined) return { kind: "conflict", reason, guard: null };
  if (sent.code === "23505") return { kind: "unique", constraint: sent.constraint };
  const guard = sent.code === "22P02" ? parseGuardName(sent.message) : null;
  if (guard !== null) return { kind: "conflict", reason: "guard", guard };
  return toDatabaseError(isUnavailable(sent) ? "DATABASE_UNAVAILABLE" : "DATABASE_REJECTED", error);
}

/** Whether the connection that reported the error can no longer be used. */
export function endsConnection(error: unknown): boolean {
  if (DatabaseError.is(error)) return false;
  const sent = readServerError(error);
  return sent === null || isFatal(sent);
}

function isFatal(error: ServerError): boolean {
  return error.severity === "FATAL" || error.severity === "PANIC";
}

function readServerError(error: unknown): ServerError | null {
  if (typeof error !== "object" || error === null) return null;
  const { message, code, severity, constraint } = error as Record<string, unknown>;
  if (typeof severity !== "string" || typeof code !== "string") return null;
  return { message: toText(message), code, severity, constraint: toText(constraint) };
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function readNeonStatus(error: unknown): number | null {
  const status = NEON_HTTP_STATUS.exec(error instanceof Error ? error.message : "")?.[1];
  return status === undefined ? null : Number(status);
}

function isAccessRefused(sent: ServerError | null, error: unknown): boolean {
  const message = error instanceof Error ? error.message : "";
  if (BAD_PASSWORD.test(message)) return true;
  if (sent === null)
    return message === NO_TLS || hasBadCertificate(error) || isAccessStatus(readNeonStatus(error));
  return ACCESS_REFUSED.has(sent.code) || (sent.code === NO_RIGHT && isFatal(sent));
}

const hasBadCertificate = (error: unknown): boolean =>
  error instanceof Error && "code" in error && BAD_CERTIFICATE.has(error.code);

function isUnavailable(error: ServerError): boolean {
  if (isFatal(error)) return true;
  if (error.code === PROTOCOL_VIOLATION) return false;
  return error.code === READ_ONLY || UNAVAILABLE_CLASSES.has(error.code.slice(0, 2));
}

function toDatabaseError(code: DatabaseErrorCode, error: unknown): DatabaseError {
  const message =
    error instanceof Error && error.message !== "" ? error.message : "connection lost";
  return new DatabaseError(code, message, error);
}
