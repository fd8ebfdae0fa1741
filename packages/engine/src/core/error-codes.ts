/** The codes of errors. */

/**
 * Every error code, by the HTTP status of the answer that carries it. Further facts, for people, are in `error-facts.ts`, which is
 * not loaded at run time.
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
  429: ["EVENT_LIMIT", "TOPIC_LIMIT", "WAIT_LIMIT"],
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
    "STEP_STATEMENT_INVALID",
    "WORKFLOW_INVALID",
    "HISTORY_DIVERGED",
    "STEP_KEY_DUPLICATE",
    "RUN_STEP_LIMIT",
    "RUN_SPINNING",
    "CRASH_LOOP",
    "COMMIT_REFUSED",
    "STEP_NOT_AWAITED",
    "AWAIT_OUTSIDE_STEP",
    "STEP_IN_BODY",
    "STORE_OPTIONS_INVALID",
    "TRANSACTION_UNUSABLE",
    "LISTEN_FAILED",
    "INVARIANT_BROKEN",
  ],
  502: ["WAKE_FAILED"],
  503: ["STORE_UNAVAILABLE", "ENGINE_CLOSED", "SCHEMA_MISMATCH"],
  504: ["RESULT_TIMEOUT", "REPLY_TIMEOUT"],
} as const;

/** Every error code. Each has a page: https://escapement.dev/errors/EVENT_TIMEOUT. */
export type ErrorCode = (typeof CODES)[keyof typeof CODES][number];

/** undefined: not one of our codes. */
const findStatus = (code: string): string | undefined =>
  Object.entries<readonly string[]>(CODES).find(([, codes]) => codes.includes(code))?.[0];

/** The HTTP status of the answer that carries a code. */
export const statusOf = (code: ErrorCode): number => Number(findStatus(code) ?? 500);

/** Whether a text is one of Escapement's codes. */
export const isErrorCode = (code: string): code is ErrorCode => findStatus(code) !== undefined;
