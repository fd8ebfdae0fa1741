/** Errors in someone else's transaction, even if their client has wrapped the driver's error. */
import type { Conflict, UniqueViolation } from "../../batch.ts";
import type { Dialect } from "../../dialect/dialect.ts";
import { classifyPostgresError } from "../../dialect/postgres-errors.ts";
import { classifySqliteError } from "../../dialect/sqlite-errors.ts";
import { DatabaseError } from "../../errors.ts";

/** How deep errors inside errors are searched; clients wrap once or twice. */
const MAX_DEPTH = 8;

// https://www.postgresql.org/docs/current/errcodes-appendix.html (read 2026-11): no active transaction, one that failed before, and
// one that may only read.
const UNUSABLE_STATES: ReadonlySet<unknown> = new Set(["25P01", "25P02", "25006"]);

/** The result of a batch, or the error to throw. Only guards and unique violations are the batch's own. */
export function classifyTransactionError(
  error: unknown,
  dialect: Dialect["name"],
): Conflict | UniqueViolation | DatabaseError {
  if (DatabaseError.is(error)) return error;
  const outcome = dialect === "postgres" ? classifyPostgres(error) : classifySqlite(error);
  if (outcome instanceof DatabaseError || outcome.kind === "unique") return outcome;
  return outcome.reason === "guard" ? outcome : conflict(outcome.reason, error);
}

/** The error for a transaction that cannot be used. */
export const unusable = (message: string, cause?: unknown): DatabaseError =>
  new DatabaseError("TRANSACTION_UNUSABLE", message, cause);

const conflict = (reason: string, cause: unknown): DatabaseError =>
  new DatabaseError(
    "TRANSACTION_CONFLICT",
    `another writer came first (${reason}): roll the transaction back and run it again`,
    cause,
  );

function classifyPostgres(error: unknown): Conflict | UniqueViolation | DatabaseError {
  const sent = findIn(error, toServerError);
  // The client refuses, not the server: the transaction has ended, or the connection is lost.
  if (sent === null) return unusable(`the transaction cannot be used: ${messageOf(error)}`, error);
  if (UNUSABLE_STATES.has(sent.code))
    return unusable(`the transaction cannot be used: ${sent.message}`, error);
  return classifyPostgresError(sent);
}

function classifySqlite(error: unknown): Conflict | UniqueViolation | DatabaseError {
  const sent = findIn(error, toSqliteError);
  return sent === null
    ? unusable(`the transaction cannot be used: ${messageOf(error)}`, error)
    : classifySqliteError(sent);
}

/** The first match among an error and those inside it. */
function findIn<T>(error: unknown, find: (error: Fields) => T | null): T | null {
  let inside: unknown = error;
  for (let depth = 0; depth < MAX_DEPTH && isObject(inside); depth += 1) {
    const found = find(inside);
    if (found !== null) return found;
    // Prisma keeps its adapter's error in `meta`, not as the cause.
    const { meta } = inside;
    inside = inside["cause"] ?? (isObject(meta) ? meta["driverAdapterError"] : null);
  }
  return null;
}

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** An error of the server or of SQLite: the driver's own, or what Prisma's adapters say of it. */
interface SentError {
  readonly code: string;
  readonly message: string;
  /** On Postgres. */
  readonly severity?: unknown;
}

/** An error with a severity, as drivers of Postgres throw it. */
function toServerError(fields: Fields): SentError | null {
  if (typeof fields["severity"] === "string" && isSent(fields)) return fields;
  const told = fromPrisma(fields);
  return told === null ? null : { ...told, severity: "ERROR" };
}

/** An error with a code of SQLite. */
function toSqliteError(fields: Fields): SentError | null {
  const sent = isSent(fields) ? fields : fromPrisma(fields);
  return sent !== null && /^(?:SQLITE|ERR_SQLITE_ERROR$)/.test(sent.code) ? sent : null;
}

const isSent = (fields: object): fields is SentError =>
  "code" in fields &&
  typeof fields.code === "string" &&
  "message" in fields &&
  typeof fields.message === "string";

function fromPrisma({ originalCode, originalMessage }: Fields): SentError | null {
  if (typeof originalCode !== "string") return null;
  return { code: originalCode, message: textOf(originalMessage) };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
