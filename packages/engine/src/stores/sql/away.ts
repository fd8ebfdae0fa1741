/** The engine's errors for a database that cannot be used at all: it is away, or it refuses access. */
import type { DatabaseError } from "@escapement/db/client";
import { WorkflowError } from "../../core/errors.ts";

/**
 * System codes of Node, Bun and Deno, such as `ECONNREFUSED`, and states of Postgres, such as `53300` (too many connections). Unlike
 * messages, they contain no host and no user.
 */
const PLAIN_CODE = /^(?:E[A-Z]+(?:_[A-Z]+)*|\d[\dA-Z]{4})$/u;

/** The state of Postgres if the user lacks a right. */
const NO_RIGHT = "42501";

/** Makes STORE_UNAVAILABLE with the client's own message, or the code of the system or the server. */
export function toUnavailable(error: DatabaseError): WorkflowError {
  const code = findPlainCode(error.cause);
  const said = error.cause === undefined ? `: ${error.message}` : code && ` (${code})`;
  const message = `the database cannot be reached${said}`;
  return new WorkflowError("STORE_UNAVAILABLE", message, {}, error);
}

/** Makes STORE_OPTIONS_INVALID if the URL, the file or the token is wrong; null: they are not. */
export function toAccessRefused(error: DatabaseError): WorkflowError | null {
  return error.code === "DATABASE_ACCESS_REFUSED" ? toOptionsInvalid(error) : null;
}

/** Likewise for a right that a statement needs. It concerns the deployment and no run, so no run may end by it. null: it is another error. */
export const toRightMissing = (error: DatabaseError): WorkflowError | null =>
  error.code === "DATABASE_REJECTED" && findPlainCode(error.cause) === NO_RIGHT
    ? toOptionsInvalid(error)
    : null;

function toOptionsInvalid(error: DatabaseError): WorkflowError {
  const expected =
    "an existing database, a user or token that may read and write it (for a file: permissions), and TLS (sslmode) only if the server has it";
  const message = `the database cannot be used: ${error.message}; expected: ${expected}`;
  return new WorkflowError("STORE_OPTIONS_INVALID", message, {}, error);
}

function findPlainCode(error: unknown, depth = 0): string {
  if (typeof error !== "object" || error === null || depth === 5) return "";
  const { code, cause } = error as Readonly<Record<string, unknown>>;
  if (typeof code === "string" && PLAIN_CODE.test(code)) return code;
  return findPlainCode(cause, depth + 1);
}
