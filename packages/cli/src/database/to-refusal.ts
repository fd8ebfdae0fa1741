/** Turns errors of a database, or of the store on it, into those of a command. */
import { DatabaseError } from "@escapement/db/client";
import { WorkflowError } from "@escapement/engine";
import { RefusedError, UsageError } from "../errors.ts";

const ACCESS =
  "a database that exists, a user, password or token that may use it, and TLS (sslmode) only where the server has it: correct --db (of a file: its rights)";

/** Keeps the engine's own codes. */
export function toRefusal(error: unknown): Error {
  if (error instanceof RefusedError || error instanceof UsageError) return error;
  if (WorkflowError.is(error)) return new RefusedError(error.code, toAdvice(error));
  if (DatabaseError.is(error)) {
    if (error.code === "DATABASE_ACCESS_REFUSED")
      return new RefusedError("STORE_OPTIONS_INVALID", `${reasonOf(error)}; expected: ${ACCESS}`);
    const code = error.retryable ? "STORE_UNAVAILABLE" : error.code;
    return new RefusedError(code, reasonOf(error));
  }
  return new RefusedError(
    "DATABASE_UNAVAILABLE",
    error instanceof Error ? reasonOf(error) : String(error),
  );
}

function toAdvice(error: WorkflowError): string {
  const found = Number(error.details["databaseVersion"]);
  const needed = Number(error.details["codeVersion"]);
  if (error.code !== "SCHEMA_MISMATCH" || Number.isNaN(found)) return reasonOf(error);
  const are = found === 0 ? "missing" : `at version ${found}`;
  return found > needed
    ? `the workflow tables are ${are}, newer than this command's ${needed}: install a newer @escapement/cli`
    : `the workflow tables are ${are}, this command needs version ${needed}: deploy that version of the engine with migrations, or run escapement migrate or store.migrate(), or use the @escapement/cli of your engine's version`;
}

/** The innermost cause says what to do about it. */
function reasonOf(error: Error): string {
  let inner: unknown = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  const reason = inner instanceof Error ? inner.message || inner.name : String(inner);
  return error.message.includes(reason) ? error.message : `${error.message}: ${reason}`;
}
