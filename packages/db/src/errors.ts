/** Errors of the Batch port. Conflicts and unique violations are results, not errors. */

const BRAND = Symbol.for("@escapement/db/DatabaseError");

/** `DATABASE_UNAVAILABLE`: try again later. `DATABASE_REJECTED`: the statement is wrong; trying again is no use. */
export type DatabaseErrorCode = "DATABASE_UNAVAILABLE" | "DATABASE_REJECTED";

/** Thrown by `Database.batch`. `cause` is the driver's own error. */
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

  /** True for a DatabaseError of any installed copy of this package. */
  static is(value: unknown): value is DatabaseError {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}
