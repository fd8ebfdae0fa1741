/**
 * The whole error taxonomy: one table, one class, one page per code under `docs/errors/`.
 *
 * Not here, because they are results and not exceptions: a conflict, a lost lease, no work due, and parking.
 */

const BRAND = Symbol.for("@escapement/engine/WorkflowError");

/** Who sees a code and what follows: HTTP status of the route's answer, and whether trying again can help. */
export interface ErrorFacts {
  readonly family: "request" | "author" | "determinism" | "store" | "platform" | "invariant";
  readonly status: number;
  readonly retryable: boolean;
  /** One sentence for the error's page: when it happens. */
  readonly when: string;
  /** One sentence for the error's page: what to do. */
  readonly fix: string;
}

const request = (status: number, when: string, fix: string): ErrorFacts => ({
  family: "request",
  status,
  retryable: false,
  when,
  fix,
});
const author = (when: string, fix: string): ErrorFacts => ({
  family: "author",
  status: 500,
  retryable: false,
  when,
  fix,
});
const determinism = (when: string, fix: string): ErrorFacts => ({
  family: "determinism",
  status: 500,
  retryable: false,
  when,
  fix,
});

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

/** What each code means, to whom, and what to do: the source of the error pages. */
export const ERROR_FACTS: Readonly<Record<ErrorCode, ErrorFacts>> = {
  WORKFLOW_NOT_FOUND: request(
    404,
    "No workflow of that name is registered.",
    "Check the name; GET /workflows lists them.",
  ),
  INSTANCE_NOT_FOUND: request(
    404,
    "The workflow has no instance of that id.",
    "Create it first; ids are per workflow.",
  ),
  ROUTE_NOT_FOUND: request(404, "No route has that path.", "See the HTTP reference for the paths."),
  METHOD_NOT_ALLOWED: request(
    405,
    "The path exists, but not with that method.",
    "Use the method in the Allow header.",
  ),
  INVALID_WORKFLOW_NAME: request(
    400,
    "A workflow name is empty, too long or has an unpaired surrogate or NUL.",
    "Use 1 to 64 characters.",
  ),
  INVALID_INSTANCE_ID: request(
    400,
    "An instance id is too long or has a character outside letters, digits, - and _.",
    "Use 1 to 100 of those characters, not starting with -.",
  ),
  INVALID_EVENT_TYPE: request(
    400,
    "An event type is too long or has a character outside letters, digits, - and _.",
    "Use 1 to 100 of those characters, not starting with -.",
  ),
  INVALID_EVENT_PAYLOAD: request(
    400,
    "An event's payload does not fit the schema that the workflow declares for its type.",
    "Send what the schema asks for; details.issues says what is wrong.",
  ),
  INVALID_PARAMS: request(
    400,
    "Params do not fit the workflow's schema.",
    "Send what the schema asks for; details.issues says what is wrong.",
  ),
  INVALID_REQUEST: request(
    400,
    "The body is not JSON, or a field or query parameter has the wrong shape.",
    "details.issues names each field and what was expected.",
  ),
  INVALID_CURSOR: request(
    400,
    "A page cursor was not made by this API, or for another list.",
    "Pass the cursor of the previous answer unchanged, or none.",
  ),
  INVALID_DURATION: request(
    400,
    "A duration cannot be read, is negative, or is outside its limit.",
    'Use milliseconds or text such as "10 seconds", "1 hour", "7 days".',
  ),
  INVALID_STEP_NAME: request(
    400,
    "A step name is empty, too long, or has an unpaired surrogate or NUL.",
    "Use 1 to 256 characters.",
  ),
  INVALID_RETRY_POLICY: request(
    400,
    "A retry policy has a limit below 0, a negative delay or an unknown backoff.",
    "limit ≥ 0 or Infinity; backoff constant, linear or exponential.",
  ),
  NOT_SERIALIZABLE: request(
    400,
    "A value cannot be written as JSON: a function, a BigInt, a symbol or a cycle.",
    "Pass plain data; details.path says where.",
  ),
  PAYLOAD_TOO_LARGE: request(
    413,
    "A value or request body is larger than its limit.",
    "Store it elsewhere and pass a reference; limits are configurable.",
  ),
  BATCH_TOO_LARGE: request(
    400,
    "More instances than createBatch takes at once.",
    "Send at most 100 per call.",
  ),
  INSTANCE_ID_ALREADY_EXISTS: request(
    409,
    "An instance with that id exists.",
    'Restart it, or create with onExisting: "return".',
  ),
  INSTANCE_TERMINAL: request(
    409,
    "The instance is complete, errored or terminated.",
    "Restart it to run it again.",
  ),
  UNAUTHORIZED: request(
    401,
    "The host's authorizeRequest refused the request.",
    "Send the credentials that the host asks for.",
  ),
  FORBIDDEN: request(
    403,
    "The host's policy does not allow this operation.",
    "Ask the host's operator.",
  ),
  TICK_UNAUTHORIZED: request(
    401,
    "The tick's bearer secret or signature is missing, wrong, stale or for another audience.",
    "Sign with the current key; check clocks and audience.",
  ),
  TICK_DISABLED: request(
    404,
    "No tick secret is configured, so the tick route is closed.",
    "Configure a bearer secret or signing keys.",
  ),

  STEP_FAILED: author(
    "A step failed and has no attempts left, or threw NonRetryableError.",
    "Catch it in the workflow, or let the instance fail.",
  ),
  STEP_TIMEOUT: author(
    "An attempt took longer than the step's timeout; it counts as failed.",
    "Raise the timeout or make the step smaller; honour the AbortSignal.",
  ),
  STEP_MAX_ATTEMPTS_EXCEEDED: author(
    "Every attempt is used up, the last one lost with its runner.",
    "Look for what kills the runner: memory, time limit, deploy.",
  ),
  EVENT_TIMEOUT: author(
    "No event of the type arrived before the wait's deadline.",
    "Catch it, or use tryWaitForEvent.",
  ),
  INVALID_OUTPUT: author(
    "The workflow's return value does not fit its output schema.",
    "Return what the schema asks for.",
  ),
  NON_RETRYABLE: author("The author threw NonRetryableError.", "See its message."),
  WORKFLOW_INVALID: author(
    "A workflow definition or registry is wrong, for instance a name twice.",
    "details says which.",
  ),

  HISTORY_DIVERGED: determinism(
    "A step has another type now than in the instance's history.",
    "Rename the step, or publish the change under a new workflow name.",
  ),
  STEP_KEY_DUPLICATE: determinism(
    "Two calls with the same step name are in flight at once.",
    "Give each its own name, for instance with the loop's index.",
  ),
  RUN_STEP_LIMIT: determinism(
    "The run has more do and waitForEvent steps than the limit.",
    "Split the workflow, or raise maxStepsPerRun.",
  ),
  STEP_NOT_AWAITED: determinism(
    "The workflow returned while a step was still in flight.",
    "Await every step; a race's loser is aborted.",
  ),
  FOREIGN_AWAIT: determinism(
    "The workflow awaits something that is not a step between steps.",
    "Move it into step.do.",
  ),

  STORE_UNAVAILABLE: {
    family: "store",
    status: 503,
    retryable: true,
    when: "The database cannot be reached or closed the connection.",
    fix: "Try again; check the database.",
  },
  SCHEMA_MISMATCH: {
    family: "store",
    status: 503,
    retryable: false,
    when: "The tables are missing or of another version.",
    fix: "Run migrate() of this version.",
  },
  WAKE_FAILED: {
    family: "platform",
    status: 502,
    retryable: true,
    when: "A wake could not be sent; the next tick finds the work.",
    fix: "Check the platform's wake path.",
  },
  DEPLOY_OPTIONS_INVALID: {
    family: "platform",
    status: 400,
    retryable: false,
    when: "Deploy options contradict each other or the platform.",
    fix: "details says which.",
  },
  INVARIANT_BROKEN: {
    family: "invariant",
    status: 500,
    retryable: false,
    when: "Escapement found itself in a state that its design excludes.",
    fix: "Report it with the details.",
  },
};

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

  get facts(): ErrorFacts {
    return ERROR_FACTS[this.code];
  }

  /** Whether the same call may succeed later. */
  get retryable(): boolean {
    return this.facts.retryable;
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
