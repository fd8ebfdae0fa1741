/** How a step is run: its body and the body's context, retries, timeout and undo. */
import type { Backoff } from "../core/backoff.ts";
import type { WorkflowDuration } from "../core/duration.ts";

/** How often and how soon a step is tried again. */
export interface StepRetries {
  /**
   * How many attempts may follow the first one: an integer from 0, or `Infinity`. 0: the body never starts twice. It has no default
   * of its own: without `retries`, a step has 5.
   *
   * @minimum 0
   */
  readonly limit: number;
  /**
   * How long to wait before the next attempt: milliseconds or a duration string, or a function that returns one for the attempt that
   * failed and its error: `(attempt) => attempt * 1000`. With a function, `jitter` applies and `backoff` does not, and attempts are counted as for `shouldRetry`. It is not called for an
   * error with its own delay, such as a `RetryableError`.
   *
   * @default "10 seconds"
   */
  readonly delay?: WorkflowDuration | ((attempt: number, error: unknown) => WorkflowDuration);
  /**
   * How delays grow. `constant`: they stay the same. `linear`: the delay times the attempt. `exponential`: twice as long each time, up
   * to 365 days. @default "exponential"
   */
  readonly backoff?: Backoff;
  /** The share of each delay that is random, 0 to 1: with 0.5, 10 seconds become 5 to 10. @default 0 */
  readonly jitter?: number;
  /**
   * Decides whether to try again after an error. If it returns false, the step fails now, with that error. It is called once
   * for each attempt that threw or timed out while `limit` allows another one, but not for a final error
   * (`NonRetryableError`) or for an attempt that was lost with its process. Only the answer is stored: a replay does not call
   * it again, and a new deployment uses its own function from then on.
   *
   * If it throws, or returns anything but true or false (a promise, for example), the step fails with INVALID_RETRY_POLICY,
   * whose cause is the body's error. The same holds for a function as `delay`.
   *
   * @param attempt 1-based, counted like `limit`, without lost attempts (`StepContext.attempt` includes them)
   * @default () => true
   */
  readonly shouldRetry?: (error: unknown, attempt: number) => boolean;
}

/** Retries and timeout of a step. @source founding spec 000 §6.2; `jitter` is ours */
export interface WorkflowStepConfig {
  /**
   * How often and how soon a body that throws is tried again: `{ limit: 3, delay: "5 seconds" }`, or `{ limit: 0 }` for once.
   * @default the workflow's, or else 5 retries from 10 seconds on, with exponential backoff
   */
  readonly retries?: StepRetries;
  /**
   * How long each attempt may take: milliseconds or a duration string. Then its `signal` is aborted, and it counts as failed.
   * @default "10 minutes"
   */
  readonly timeout?: WorkflowDuration;
}

/**
 * Undoes what a step did, if the run is rolled back after the step has completed. Like a body, it may run more than once.
 *
 * @param result what the step's body returned
 */
export type StepUndo<T> = (result: T, context: StepContext) => unknown;

/** An undo with its own retries. */
export interface UndoOptions<T> extends WorkflowStepConfig {
  readonly run: StepUndo<T>;
}

/** Retries, timeout and undo of a step. */
export interface StepOptions<T> extends WorkflowStepConfig {
  /**
   * Undoes the step when the run is rolled back. The undo is a step of its own, `pay/undo` for `pay`, and is retried as the
   * workflow's steps are. A `step.loop` with such steps keeps all of its iterations. @default nothing
   */
  readonly undo?: StepUndo<T> | UndoOptions<T>;
}

/** What a step's body knows about its attempt. */
export interface StepContext {
  /** The step's identity in the history: its name, with its place and occurrence, such as `book/hotel/reserve` or `poll#2`. */
  readonly stepKey: string;
  /** Which attempt this is, from 1. It counts attempts that were lost with their process, too. */
  readonly attempt: number;
  /** The same for every attempt of this step in this run: pass it to services that deduplicate. */
  readonly idempotencyKey: string;
  /** Aborted on timeout, when the lease is lost, and when the run ends without this step. Pass it on: `fetch(url, { signal })`. */
  readonly signal: AbortSignal;
  /**
   * Adds an entry to the instance's stream (`instance.stream()`), as part of this attempt. It is committed within 200 ms,
   * together with other entries, or with the attempt's outcome. Entries of an attempt that fails or is lost stay in the
   * stream.
   *
   * Resolves at once, unless 1000 entries or 1 MiB wait to be committed; then it resolves when they are. After the end of the
   * attempt, and in `onConsume` and `onTerminalError`, it does nothing.
   *
   * @param value any value that a step may return, within `limits.maxProgressEntryBytes`; undefined becomes null
   * @throws {WorkflowError} NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE
   */
  readonly progress: (value: unknown) => Promise<void>;
}

/** The body of `step.do`. What it returns is the result of the step, within `limits.maxStepResultBytes` (1 MiB) as JSON. */
export type StepBody<T> = (context: StepContext) => Promise<T> | T;
