/** The engine's errors for a database that cannot be used at all: it is away, or it refuses access. */
import type { DatabaseError } from "@escapement/db/client";
import { WorkflowError } from "../../core/errors.ts";

/** System codes of Node, Bun and Deno, such as `ECONNREFUSED`. Unlike messages, they contain no host and no user. */
const SYSTEM_CODE = /^E[A-Z]+(?:_[A-Z]+)*$/u;

/** Makes STORE_UNAVAILABLE with the client's own message, or the system's code. */
export function toUnavailable(error: DatabaseError): WorkflowError {
  const code = findSystemCode(error.cause);
  const said = error.cause === undefined ? `: ${error.message}` : code && ` (${code})`;
  const message = `the database cannot be reached${said}`;
  return new WorkflowError("STORE_UNAVAILABLE", message, {}, error);
}

/** Makes STORE_OPTIONS_INVALID if the URL, the file or the token is wrong; null: they are not. */
export function toAccessRefused(error: DatabaseError): WorkflowError | null {
  if (error.code !== "DATABASE_ACCESS_REFUSED") return null;
  const expected =
    "an existing database, a user or token that may read and write it (for a file: permissions), and TLS (sslmode) only if the server has it";
  const message = `the database cannot be used: ${error.message}; expected: ${expected}`;
  return new WorkflowError("STORE_OPTIONS_INVALID", message, {}, error);
}

function findSystemCode(error: unknown, depth = 0): string {
  if (typeof error !== "object" || error === null || depth === 5) return "";
  const { code, cause } = error as Readonly<Record<string, unknown>>;
  if (typeof code === "string" && SYSTEM_CODE.test(code)) return code;
  return findSystemCode(cause, depth + 1);
}
