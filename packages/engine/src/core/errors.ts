/**
 * The whole error taxonomy: one union of codes, one class, one page per code under `docs/errors/`.
 *
 * Not here, because they are results and not exceptions: a conflict, a lost lease, no work due, and parking.
 */

const BRAND = Symbol.for("@escapement/engine/WorkflowError");

/**
 * Every code there is, by the HTTP status of the answer that carries it. Other facts, for people, are in `error-facts.ts`,
 * which no runtime loads.
 */
const CODES = {
  400: [
    "INVALID_WORKFLOW_NAME",
    "INVALID_INSTANCE_ID",
    "INVALID_EVENT_TYPE",
    "EVENT_UNDECLARED",
    "INVALID_EVENT_PAYLOAD",
    "INVALID_IDEMPOTENCY_KEY",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "UNKNOWN_OPTION",
    "INVALID_CURSOR",
    "INVALID_DURATION",
    "INVALID_STEP_NAME",
    "INVALID_RETRY_POLICY",
    "INVALID_SCOPE",
    "INVALID_RECEIVE",
    "INVALID_TOPIC",
    "INVALID_VERSION",
    "INVALID_UNDO",
    "NOT_SERIALIZABLE",
    "BATCH_TOO_LARGE",
    "DEPLOY_OPTIONS_INVALID",
    "RUNNER_ID_INVALID",
    "IMPORT_INVALID",
  ],
  401: ["UNAUTHORIZED", "TICK_UNAUTHORIZED"],
  403: ["FORBIDDEN", "CROSS_SITE_REQUEST"],
  404: [
    "WORKFLOW_NOT_FOUND",
    "INSTANCE_NOT_FOUND",
    "EVENT_NOT_FOUND",
    "TOPIC_NOT_FOUND",
    "ROUTE_NOT_FOUND",
    "TICK_DISABLED",
    "CALLBACK_DISABLED",
    "BULK_DISABLED",
    "CALLBACK_INVALID",
    "STEP_NOT_FOUND",
  ],
  405: ["METHOD_NOT_ALLOWED"],
  409: [
    "INSTANCE_ID_ALREADY_EXISTS",
    "INSTANCE_TERMINAL",
    "INSTANCE_TERMINATED",
    "INSTANCE_NOT_ERRORED",
    "INSTANCE_NOT_ENDED",
    "INSTANCE_NOT_PAUSED",
    "INSTANCE_CHANGED",
    "IDEMPOTENCY_KEY_CONFLICT",
    "EVENT_ID_CONFLICT",
    "EVENT_NOT_ANSWERED",
    "EVENT_ALREADY_ANSWERED",
    "RUN_NUMBER_MISMATCH",
    "STATUS_MISMATCH",
    "DEADLINE_EXCEEDED",
    "STEP_PASSED",
    "RUN_UNDONE",
    "TRANSACTION_CONFLICT",
    "CALLBACK_USED",
  ],
  410: ["CALLBACK_LATE"],
  413: ["PAYLOAD_TOO_LARGE"],
  429: ["EVENT_LIMIT", "TOPIC_LIMIT"],
  500: [
    "STEP_FAILED",
    "STEP_TIMEOUT",
    "STEP_MAX_ATTEMPTS_EXCEEDED",
    "JOIN_FAILED",
    "CANCELLED",
    "ROLLED_BACK",
    "ROLLBACK_FAILED",
    "UNDO_MISSING",
    "SCOPE_CLOSED",
    "EVENT_TIMEOUT",
    "CHILD_FAILED",
    "CHILD_TERMINATED",
    "INVALID_OUTPUT",
    "NON_RETRYABLE",
    "STEP_TRANSACTION_UNSUPPORTED",
    "STEP_TRANSACTION_CLOSED",
    "WORKFLOW_INVALID",
    "HISTORY_DIVERGED",
    "STEP_KEY_DUPLICATE",
    "RUN_STEP_LIMIT",
    "RUN_SPINNING",
    "CRASH_LOOP",
    "COMMIT_REFUSED",
    "STEP_NOT_AWAITED",
    "AWAIT_OUTSIDE_STEP",
    "STORE_OPTIONS_INVALID",
    "TRANSACTION_UNUSABLE",
    "INVARIANT_BROKEN",
  ],
  502: ["WAKE_FAILED"],
  503: ["STORE_UNAVAILABLE", "SCHEMA_MISMATCH"],
  504: ["RESULT_TIMEOUT", "REPLY_TIMEOUT"],
} as const;

/** Every code there is. */
export type ErrorCode = (typeof CODES)[keyof typeof CODES][number];

/** undefined: it is no code of ours. */
const findStatus = (code: string): string | undefined =>
  Object.entries<readonly string[]>(CODES).find(([, codes]) => codes.includes(code))?.[0];

/** HTTP status of the answer that carries a code. */
export const statusOf = (code: ErrorCode): number => Number(findStatus(code) ?? 500);

/** Whether a text is one of Escapement's codes. */
export const isErrorCode = (code: string): code is ErrorCode => findStatus(code) !== undefined;

/** What heals without a change of the call: a migration under way too. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  "STORE_UNAVAILABLE",
  "SCHEMA_MISMATCH",
  "WAKE_FAILED",
  "STEP_TIMEOUT",
  "EVENT_LIMIT",
  "TOPIC_LIMIT",
  "RESULT_TIMEOUT",
  "REPLY_TIMEOUT",
]);

/** Data that goes with an error: JSON only. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** An error of Escapement. Compare it by `code`, never by message. */
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

  /** Whether a value is a WorkflowError, of any installed copy of this package. */
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
 * Throw it in a step to fail without retries. If you do not catch it, the instance fails.
 *
 * @source founding spec 000 §6.4
 */
export class NonRetryableError extends WorkflowError {
  constructor(message: string, name = "NonRetryableError") {
    super("NON_RETRYABLE", message);
    this.name = name;
  }
}

/**
 * Throw it in a step or outside to undo what the run has done, with the `undo` of each completed step. The run then fails
 * with this error.
 *
 * @source founding document 003
 */
export class RollbackError extends WorkflowError {
  constructor(message = "the run was rolled back", options: { readonly cause?: unknown } = {}) {
    super("ROLLED_BACK", message, {}, options.cause);
    this.name = "RollbackError";
  }
}

/**
 * Steps throw it when the instance was cancelled. The code can clean up with shielded steps (`step.shielded`). However it
 * ends then, the instance is `terminated`.
 */
export class CancelledError extends WorkflowError {
  constructor(message = "the instance was cancelled", details: ErrorDetails = {}) {
    super("CANCELLED", message, details);
    this.name = "CancelledError";
  }
}

/** The error of a run whose deadline has passed. */
export const deadlineExceeded = (): WorkflowError =>
  new WorkflowError("DEADLINE_EXCEEDED", "the run's deadline has passed");

/** The error of callbacks that nobody has configured. */
export const callbackDisabled = (): WorkflowError =>
  new WorkflowError(
    "CALLBACK_DISABLED",
    "the engine makes and takes no callbacks; give createEngine callbacks: { signingKeys, url }",
  );

/** The error of bulk jobs that nobody has asked for. */
export const bulkDisabled = (): WorkflowError =>
  new WorkflowError(
    "BULK_DISABLED",
    "the engine runs no bulk jobs; give createEngine bulk: true, in every process that runs workflows",
  );

/** A state that the design excludes. */
export function assertInvariant(
  condition: boolean,
  message: string,
  details: ErrorDetails = {},
): asserts condition {
  if (!condition) throw new WorkflowError("INVARIANT_BROKEN", message, details);
}
