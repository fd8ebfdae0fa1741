/**
 * The whole error taxonomy: one class, and one page under `docs/errors/` for each code (`error-codes.ts`).
 *
 * Conflicts, lost leases, a lack of due work, and parking are not here, because they are results and not exceptions.
 */
import type { ErrorCode } from "./error-codes.ts";

const BRAND = Symbol.for("@escapement/engine/WorkflowError");

/** Errors that can go away while the call stays the same; this includes a migration that is under way. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  "STORE_UNAVAILABLE",
  "ENGINE_CLOSED",
  "SCHEMA_MISMATCH",
  "WAKE_FAILED",
  "STEP_TIMEOUT",
  "EVENT_LIMIT",
  "WAIT_LIMIT",
  "TOPIC_LIMIT",
  "RESULT_TIMEOUT",
  "REPLY_TIMEOUT",
]);

/** Data of an error: JSON only. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/**
 * An error of Escapement. Compare it by `code`, never by message, and test it with `WorkflowError.is(error)`, which also knows errors of
 * another copy of the package: `if (WorkflowError.is(error) && error.code === "EVENT_TIMEOUT") …`.
 */
export class WorkflowError extends Error {
  override name = "WorkflowError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Whether the same call may succeed later. */
  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }

  /** The page that explains the code. */
  get docs(): string {
    return `https://escapement.dev/errors/${this.code}`;
  }

  /** Whether a value is a WorkflowError, from any installed copy of this package. */
  static is(value: unknown): value is WorkflowError {
    try {
      return typeof value === "object" && value !== null && BRAND in value;
    } catch {
      // A revoked proxy.
      return false;
    }
  }
}

/** The fields of a log line about a failure: the error's details, its code (or null), and the error and its cause as text. */
export function toLogFields(error: unknown): Readonly<Record<string, unknown>> {
  const { code, details } = WorkflowError.is(error) ? error : { code: null, details: {} };
  return { ...details, code, error: toText(error) };
}

function toText(error: unknown): string {
  try {
    return WorkflowError.is(error) && error.cause !== undefined
      ? `${String(error)}: ${toText(error.cause)}`
      : String(error);
  } catch {
    return "an error that cannot be shown";
  }
}

/** Asserts that a state the design excludes does not occur. */
export function assertInvariant(
  condition: boolean,
  message: string,
  details: ErrorDetails = {},
): asserts condition {
  if (!condition) throw new WorkflowError("INVARIANT_BROKEN", message, details);
}
