/** Steps that anybody who has their URL can end from outside. */
import type { WorkflowDuration } from "../core/duration.ts";

/** How long to wait for a callback's payload. */
export interface CallbackOptions {
  /** Milliseconds or a duration string, 1 second to 365 days, counted from the first call of `payload()`. @default "24 hours" */
  readonly timeout?: WorkflowDuration;
}

/** A URL to give away, and the payload that comes to it. */
export interface Callback<TPayload> {
  /** Accepts one POST, whose JSON body is the payload. It is a secret: whoever has it needs nothing else. */
  readonly url: string;
  /** The last part of the URL. `engine.completeCallback(token, payload)` does the same as a POST. */
  readonly token: string;
  /**
   * Waits for the payload, even if it came before this call. A second call is the same wait. Check the payload: anybody who
   * had the URL may have sent it.
   *
   * @throws {WorkflowError} EVENT_TIMEOUT; SCOPE_CLOSED — the branch that made the callback has ended
   */
  payload(): Promise<TPayload>;
}

/** Steps that anybody who has their URL can end from outside. */
export interface CallbackSteps {
  /**
   * Makes a URL that accepts one payload, for a webhook or an approval link: `const approval = await step.callback("approval", {
   * timeout: "3 days" })`. Give `approval.url` away in a step, then `await approval.payload()`. It is the same on every replay, and costs no
   * trip and no row. `payload()` is the step, and waits like `waitForEvent`. The URL stops working when the run has ended or
   * was restarted.
   *
   * @throws {WorkflowError} CALLBACK_DISABLED — the engine has no option `callbacks`; INVALID_STEP_NAME, INVALID_DURATION,
   *   STEP_KEY_DUPLICATE, SCOPE_CLOSED, UNKNOWN_OPTION
   */
  callback<T = unknown>(name: string, options?: CallbackOptions): Promise<Callback<T>>;
}
