/** How a step is run: its body and what that is told, retries, timeout and undo. */
import type { Backoff } from "../core/backoff.ts";
import type { WorkflowDuration } from "../core/duration.ts";

/** How often, and how soon, a step is tried again. */
export interface StepRetries {
  /** Retries after the first attempt; 0: at most once; `Infinity` is allowed. @default 5 @minimum 0 */
  readonly limit: number;
  /**
   * Milliseconds or a duration string; or a function that gives them for the attempt that failed, and for what it threw.
   * Of a function `jitter` takes its share, `backoff` has no say, and the attempt is counted as for `shouldRetry`. Not
   * asked for an error that carries its own delay, such as a `RetryableError`.
   *
   * @default "10 seconds"
   */
  readonly delay?: WorkflowDuration | ((attempt: number, error: unknown) => WorkflowDuration);
  /** @default "exponential" */
  readonly backoff?: Backoff;
  /** Random share of each delay, 0–1. @default 0 */
  readonly jitter?: number;
  /**
   * Says whether what an attempt threw is worth another one; false: the step fails now, with that error. Asked once for
   * each attempt that threw or timed out while `limit` allows another, but not for an error that is final anyway
   * (`NonRetryableError`), nor for an attempt that was lost with its process. Only the answer is stored: a replay does not
   * ask again, and a deployment asks its own function from then on.
   *
   * One that throws, or returns anything but true or false (a promise too), fails the step with INVALID_RETRY_POLICY, whose
   * cause is what the body threw; so does a function for `delay`.
   *
   * @param attempt 1-based, counted as `limit` counts: without lost attempts, which `StepContext.attempt` counts too
   * @default () => true
   */
  readonly shouldRetry?: (error: unknown, attempt: number) => boolean;
}

/** How one step is retried and timed out. @source founding spec 000 §6.2; `jitter` is ours */
export interface WorkflowStepConfig {
  /** @default the workflow's, else 5 retries from 10 seconds on, exponentially */
  readonly retries?: StepRetries;
  /** Per attempt: milliseconds or a duration string. @default "10 minutes" */
  readonly timeout?: WorkflowDuration;
}

/**
 * Undoes what a step did, if the run is rolled back after the step completed. It may run more than once, as a body may.
 *
 * @param result what the step's body returned
 */
export type StepUndo<T> = (result: T, context: StepContext) => unknown;

/** An undo with retries of its own. */
export interface UndoOptions<T> extends WorkflowStepConfig {
  readonly run: StepUndo<T>;
}

/** How one step is retried, timed out, and undone. */
export interface StepOptions<T> extends WorkflowStepConfig {
  /**
   * What to do about the step when the run is rolled back, which is a step of its own: `pay/undo` of `pay`, retried as the
   * workflow's steps are. A loop of `step.loop` that has such steps keeps all of its iterations. @default nothing
   */
  readonly undo?: StepUndo<T> | UndoOptions<T>;
}

/** What a step's body is told of itself. */
export interface StepContext {
  readonly stepKey: string;
  /** 1-based; counts lost attempts. */
  readonly attempt: number;
  /** The same for every attempt of this step in this run: pass it to services that deduplicate. */
  readonly idempotencyKey: string;
  /** Aborted on timeout, when the lease is lost, and when the run ends without this step. */
  readonly signal: AbortSignal;
  /**
   * Adds an entry of this attempt to the instance's stream (`instance.stream()`). It is committed within 200 ms, with others
   * that came meanwhile, or with the attempt's outcome; an attempt that fails, or is lost, has told what it has. Resolves at
   * once, unless 1000 entries or 1 MiB wait to be committed: then once they are. After the attempt's end, and in `onConsume`
   * and `onTerminalError`, it does nothing.
   *
   * @param value any value that a step may return, within `limits.maxProgressEntryBytes`; undefined is told as null
   * @throws {WorkflowError} NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE
   */
  readonly progress: (value: unknown) => Promise<void>;
}

/** The body of `step.do`: what it returns is kept as the step's result. */
export type StepBody<T> = (context: StepContext) => Promise<T> | T;
