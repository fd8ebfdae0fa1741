/** Steps that are ended from outside by who has their URL. */
import type { WorkflowDuration } from "../core/duration.ts";

/** How long a callback's payload is waited for. */
export interface CallbackOptions {
  /** Milliseconds or a duration string, 1 second to 365 days, from the first call of `payload()` on. @default "24 hours" */
  readonly timeout?: WorkflowDuration;
}

/** A URL to give away, and what comes to it. */
export interface Callback<TPayload> {
  /** Takes one POST, whose JSON body is the payload. Who has it needs nothing else: it is a secret. */
  readonly url: string;
  /** The last part of the URL: `engine.completeCallback(token, payload)` does the same. */
  readonly token: string;
  /**
   * Waits for the payload, also for one that came before this was called; again, it is the same wait. It may come from
   * anybody who had the URL: check it.
   *
   * @throws {WorkflowError} EVENT_TIMEOUT; SCOPE_CLOSED — the branch that made the callback has ended
   */
  payload(): Promise<TPayload>;
}

/** Steps that are ended from outside by who has their URL. */
export interface CallbackSteps {
  /**
   * Makes a URL that takes one payload: a webhook, an approval link. It is the same on every replay and costs no trip and no row;
   * `payload()` is the step, and waits as `waitForEvent` does. It takes no more once the run has ended or was restarted.
   *
   * @throws {WorkflowError} CALLBACK_DISABLED — the engine has no option `callbacks`; INVALID_STEP_NAME, INVALID_DURATION,
   *   STEP_KEY_DUPLICATE, SCOPE_CLOSED, UNKNOWN_OPTION
   */
  callback<T = unknown>(name: string, options?: CallbackOptions): Promise<Callback<T>>;
}
