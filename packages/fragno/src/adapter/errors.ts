/** Errors of the Fragno adapter. Conflicts are Fragno's own `ConcurrencyConflictError`, lost databases `DatabaseError`. */
import { library } from "./library.ts";

const BRAND = Symbol.for("@escapement/db/FragnoAdapterError");

/** The HTTP status of a route that does not catch the error; 500 hides the message from the client. */
const STATUS = {
  /** A unique index refused a row; `details.constraint` names the index if the driver does. */
  UNIQUE_VIOLATION: 409,
  /** An update without `check()` found no row with that id. */
  ROW_NOT_FOUND: 404,
  /** A page cursor that is not ours, or is for another index or order. */
  INVALID_CURSOR: 400,
  /** A value that the column cannot hold. */
  INVALID_VALUE: 500,
  /** A query that cannot be expressed; the message says why. */
  INVALID_QUERY: 500,
  /** The schema belongs to no fragment built on this adapter. */
  UNKNOWN_SCHEMA: 500,
  /** One schema object is used in two namespaces. */
  SCHEMA_IN_TWO_NAMESPACES: 500,
  /** A committed transaction was to be run again; it is not. */
  ALREADY_COMMITTED: 500,
  /** A service was called outside a handler, or inside the handler of another database. */
  NO_TRANSACTION: 500,
  /** A durable hook did not end within `hookTimeoutMs`; the reason of its abort signal. */
  HOOK_TIMEOUT: 500,
  /** SQL for migrations was asked for before `loadMigrations()`. */
  MIGRATIONS_NOT_LOADED: 500,
  /** The tables were migrated by newer code, or their recorded version is not a number. */
  SCHEMA_MISMATCH: 500,
} as const;

/** Codes of `FragnoAdapterError`. */
type FragnoAdapterErrorCode = keyof typeof STATUS;

/** An error of the adapter, thrown from Fragno's own calls. A route that does not catch it answers with its status. */
export class FragnoAdapterError extends library.FragnoApiError {
  override readonly name: string = "FragnoAdapterError";
  /** Details as JSON, depending on the code. */
  readonly details: Readonly<Record<string, string | number>>;

  constructor(
    code: FragnoAdapterErrorCode,
    message: string,
    details: Readonly<Record<string, string | number>> = {},
  ) {
    super({ message, code }, STATUS[code]);
    this.details = details;
    Object.defineProperty(this, BRAND, { value: true });
  }

  override toResponse(): Response {
    if (this.status < 500) return super.toResponse();
    const body = { message: "Internal server error", code: "INTERNAL_SERVER_ERROR" };
    return Response.json(body, { status: this.status });
  }

  /** Whether a value is a FragnoAdapterError, from any installed copy of this package. */
  static is(value: unknown): value is FragnoAdapterError {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}
