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
  | "INVALID_EVENT_PAYLOAD"
  | "INVALID_PARAMS"
  | "INVALID_REQUEST"
  | "INVALID_CURSOR"
  | "INVALID_DURATION"
  | "INVALID_STEP_NAME"
  | "INVALID_RETRY_POLICY"
  | "NOT_SERIALIZABLE"
  | "PAYLOAD_TOO_LARGE"
  | "BATCH_TOO_LARGE"
  | "INSTANCE_ID_ALREADY_EXISTS"
  | "INSTANCE_TERMINAL"
  | "UNAUTHORIZED"
  | "FORBIDDEN"
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
  | "STEP_NOT_AWAITED"
  | "FOREIGN_AWAIT"
  | "STORE_UNAVAILABLE"
  | "SCHEMA_MISMATCH"
  | "WAKE_FAILED"
  | "DEPLOY_OPTIONS_INVALID"
  | "INVARIANT_BROKEN";

/**
 * HTTP status of the answer that carries a code: 500 unless it is listed. The other facts of a code, for people, are in
 * `error-facts.ts`, which no runtime loads.
 */
const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  WORKFLOW_NOT_FOUND: 404,
  INSTANCE_NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  INVALID_WORKFLOW_NAME: 400,
  INVALID_INSTANCE_ID: 400,
  INVALID_EVENT_TYPE: 400,
  INVALID_EVENT_PAYLOAD: 400,
  INVALID_PARAMS: 400,
  INVALID_REQUEST: 400,
  INVALID_CURSOR: 400,
  INVALID_DURATION: 400,
  INVALID_STEP_NAME: 400,
  INVALID_RETRY_POLICY: 400,
  NOT_SERIALIZABLE: 400,
  PAYLOAD_TOO_LARGE: 413,
  BATCH_TOO_LARGE: 400,
  INSTANCE_ID_ALREADY_EXISTS: 409,
  INSTANCE_TERMINAL: 409,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  TICK_UNAUTHORIZED: 401,
  TICK_DISABLED: 404,
  STORE_UNAVAILABLE: 503,
  SCHEMA_MISMATCH: 503,
  WAKE_FAILED: 502,
  DEPLOY_OPTIONS_INVALID: 400,
};

/** HTTP status of the answer that carries a code. */
export const statusOf = (code: ErrorCode): number => STATUS[code] ?? 500;

const RETRYABLE: ReadonlySet<ErrorCode> = new Set(["STORE_UNAVAILABLE", "WAKE_FAILED"]);

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
    return typeof value === "object" && value !== null && BRAND in value;
  }
}

/** What a log line tells of a failure: its details, its code (null where it has none), and the error as text. */
export function toLogFields(error: unknown): Readonly<Record<string, unknown>> {
  const { code, details } = WorkflowError.is(error) ? error : { code: null, details: {} };
  return { ...details, code, error: String(error) };
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
