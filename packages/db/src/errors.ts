/** Errors of the Batch port. Conflicts and unique violations are results, not errors. */

const BRAND = Symbol.for("@escapement/db/DatabaseError");

/**
 * `DATABASE_UNAVAILABLE`: try again later. `DATABASE_REJECTED`: the statement is wrong; trying again does not help.
 * `DATABASE_ACCESS_REFUSED`: the URL or the file is wrong, so no statement can work: the database, user or token does not exist or
 * may not be used, or the server lacks the TLS that the URL asks for. `DATABASE_OPTIONS_INVALID`: a client was created with a value
 * that it cannot use. In a transaction of the caller also `TRANSACTION_CONFLICT`:
 * run it again from its beginning; and `TRANSACTION_UNUSABLE`: it is not an open transaction of the database.
 */
export type DatabaseErrorCode =
  | "DATABASE_UNAVAILABLE"
  | "DATABASE_REJECTED"
  | "DATABASE_ACCESS_REFUSED"
  | "DATABASE_OPTIONS_INVALID"
  | "TRANSACTION_CONFLICT"
  | "TRANSACTION_UNUSABLE";

/** Thrown by `Database.batch`, and by what creates a client. `cause` is the driver's own error. */
export class DatabaseError extends Error {
  override readonly name: string = "DatabaseError";
  readonly code: DatabaseErrorCode;

  constructor(code: DatabaseErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Whether the same batch may succeed later. */
  get retryable(): boolean {
    return this.code === "DATABASE_UNAVAILABLE";
  }

  /** True for a DatabaseError from any installed copy of this package. */
  static is(value: unknown): value is DatabaseError {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}
