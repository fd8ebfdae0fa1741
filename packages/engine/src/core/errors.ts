/**
 * The whole error taxonomy: one union of codes, one class, one page per code under `docs/errors/`.
 *
 * Not here, because they are results and not exceptions: a conflict, a lost lease, no work due, and parking.
 */

const BRAND = Symbol.for("@escapement/engine/WorkflowError");

/** Every code there is. */
export type ErrorCode =
  | "WORKFLOW_NOT_FOUND"
  | "INSTANCE_NOT_FOUND"
  | "ROUTE_NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "INVALID_WORKFLOW_NAME"
  | "INVALID_INSTANCE_ID"
  | "INVALID_EVENT_TYPE"
  | "EVENT_UNDECLARED"
  | "INVALID_EVENT_PAYLOAD"
  | "INVALID_IDEMPOTENCY_KEY"
  | "INVALID_PARAMS"
  | "INVALID_REQUEST"
  | "UNKNOWN_OPTION"
  | "INVALID_CURSOR"
  | "INVALID_DURATION"
  | "INVALID_STEP_NAME"
  | "INVALID_RETRY_POLICY"
  | "NOT_SERIALIZABLE"
  | "PAYLOAD_TOO_LARGE"
  | "BATCH_TOO_LARGE"
  | "INSTANCE_ID_ALREADY_EXISTS"
  | "INSTANCE_TERMINAL"
  | "INSTANCE_TERMINATED"
  | "RESULT_TIMEOUT"
  | "IDEMPOTENCY_KEY_CONFLICT"
  | "EVENT_ID_CONFLICT"
  | "EVENT_LIMIT"
  | "RUN_NUMBER_MISMATCH"
  | "UNAUTHORIZED"
  | "FORBIDDEN"
  | "CROSS_SITE_REQUEST"
  | "TICK_UNAUTHORIZED"
  | "TICK_DISABLED"
  | "STEP_FAILED"
  | "STEP_TIMEOUT"
  | "STEP_MAX_ATTEMPTS_EXCEEDED"
  | "EVENT_TIMEOUT"
  | "INVALID_OUTPUT"
  | "NON_RETRYABLE"
  | "STEP_TRANSACTION_UNSUPPORTED"
  | "STEP_TRANSACTION_CLOSED"
  | "WORKFLOW_INVALID"
  | "HISTORY_DIVERGED"
  | "STEP_KEY_DUPLICATE"
  | "RUN_STEP_LIMIT"
  | "RUN_SPINNING"
  | "CRASH_LOOP"
  | "COMMIT_REFUSED"
  | "STEP_NOT_AWAITED"
  | "AWAIT_OUTSIDE_STEP"
  | "STORE_UNAVAILABLE"
  | "SCHEMA_MISMATCH"
  | "STORE_OPTIONS_INVALID"
  | "TRANSACTION_CONFLICT"
  | "TRANSACTION_UNUSABLE"
  | "WAKE_FAILED"
  | "DEPLOY_OPTIONS_INVALID"
  | "RUNNER_ID_INVALID"
  | "INVARIANT_BROKEN";

/** HTTP status of the answer that carries a code. Other facts, for people, are in `error-facts.ts`, which no runtime loads. */
const STATUS: Readonly<Record<ErrorCode, number>> = {
  WORKFLOW_NOT_FOUND: 404,
  INSTANCE_NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  INVALID_WORKFLOW_NAME: 400,
  INVALID_INSTANCE_ID: 400,
  INVALID_EVENT_TYPE: 400,
  EVENT_UNDECLARED: 400,
  INVALID_EVENT_PAYLOAD: 400,
  INVALID_IDEMPOTENCY_KEY: 400,
  INVALID_PARAMS: 400,
  INVALID_REQUEST: 400,
  UNKNOWN_OPTION: 400,
  INVALID_CURSOR: 400,
  INVALID_DURATION: 400,
  INVALID_STEP_NAME: 400,
  INVALID_RETRY_POLICY: 400,
  NOT_SERIALIZABLE: 400,
  PAYLOAD_TOO_LARGE: 413,
  BATCH_TOO_LARGE: 400,
  INSTANCE_ID_ALREADY_EXISTS: 409,
  INSTANCE_TERMINAL: 409,
  INSTANCE_TERMINATED: 409,
  RESULT_TIMEOUT: 504,
  IDEMPOTENCY_KEY_CONFLICT: 409,
  EVENT_ID_CONFLICT: 409,
  EVENT_LIMIT: 429,
  RUN_NUMBER_MISMATCH: 409,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  CROSS_SITE_REQUEST: 403,
  TICK_UNAUTHORIZED: 401,
  TICK_DISABLED: 404,
  STEP_FAILED: 500,
  STEP_TIMEOUT: 500,
  STEP_MAX_ATTEMPTS_EXCEEDED: 500,
  EVENT_TIMEOUT: 500,
  INVALID_OUTPUT: 500,
  NON_RETRYABLE: 500,
  STEP_TRANSACTION_UNSUPPORTED: 500,
  STEP_TRANSACTION_CLOSED: 500,
  WORKFLOW_INVALID: 500,
  HISTORY_DIVERGED: 500,
  STEP_KEY_DUPLICATE: 500,
  RUN_STEP_LIMIT: 500,
  RUN_SPINNING: 500,
  CRASH_LOOP: 500,
  COMMIT_REFUSED: 500,
  STEP_NOT_AWAITED: 500,
  AWAIT_OUTSIDE_STEP: 500,
  STORE_UNAVAILABLE: 503,
  SCHEMA_MISMATCH: 503,
  STORE_OPTIONS_INVALID: 500,
  TRANSACTION_CONFLICT: 409,
  TRANSACTION_UNUSABLE: 500,
  WAKE_FAILED: 502,
  DEPLOY_OPTIONS_INVALID: 400,
  RUNNER_ID_INVALID: 400,
  INVARIANT_BROKEN: 500,
};

/** HTTP status of the answer that carries a code. */
export const statusOf = (code: ErrorCode): number => STATUS[code] ?? 500;

/** Whether a text is one of Escapement's codes. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(STATUS, code);

/** What heals without a change of the call: a migration under way too. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  "STORE_UNAVAILABLE",
  "SCHEMA_MISMATCH",
  "WAKE_FAILED",
  "STEP_TIMEOUT",
  "EVENT_LIMIT",
  "RESULT_TIMEOUT",
]);

/** Data that goes with an error: JSON only. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** Every error that Escapement makes. Compare by `code`, never by message. */
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

  /** Page that explains the code. */
  get docs(): string {
    return `https://escapement.dev/errors/${this.code}`;
  }

  /** True for a WorkflowError of any installed copy of this package. */
  static is(value: unknown): value is WorkflowError {
    try {
      return typeof value === "object" && value !== null && BRAND in value;
    } catch {
      // A revoked proxy.
      return false;
    }
  }
}

/** What a log line tells of a failure: its details, its code (null where it has none), and the error as text. */
export function toLogFields(error: unknown): Readonly<Record<string, unknown>> {
  const { code, details } = WorkflowError.is(error) ? error : { code: null, details: {} };
  return { ...details, code, error: toText(error) };
}

function toText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return "an error that cannot be shown";
  }
}

/**
 * Thrown by authors inside a step: no retry; uncaught, it fails the instance.
 *
 * @source founding spec 000 §6.4
 */
export class NonRetryableError extends WorkflowError {
  constructor(message: string, name = "NonRetryableError") {
    super("NON_RETRYABLE", message);
    this.name = name;
  }
}

/** A state that the design excludes. */
export function assertInvariant(
  condition: boolean,
  message: string,
  details: ErrorDetails = {},
): asserts condition {
  if (!condition) throw new WorkflowError("INVARIANT_BROKEN", message, details);
}
