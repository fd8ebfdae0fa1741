/** An error that a step's body throws to say when to try again. */
import { MAX_RETRY_DELAY_MS } from "../core/backoff.ts";
import { parseDuration, type WorkflowDuration } from "../core/duration.ts";
import { assertKnownOptions } from "../core/known-names.ts";

/** When to try again. Without an option, the policy of the step decides. */
interface RetryableErrorOptions {
  /** Milliseconds or a duration string from now, or a point in time. */
  readonly retryAfter?: WorkflowDuration | Date;
  /**
   * The header `Retry-After` of an HTTP response: `response.headers.get("retry-after")`, in seconds or as a date. If it is
   * missing or not valid, `retryAfter` applies.
   *
   * @source RFC 9110 §10.2.3
   */
  readonly retryAfterHeader?: string | null;
  /** The error that caused this one. */
  readonly cause?: unknown;
}

const OPTIONS: Readonly<Record<keyof RetryableErrorOptions, 1>> = {
  retryAfter: 1,
  retryAfterHeader: 1,
  cause: 1,
};

/**
 * Throw it in the body of a step to say when the next attempt comes, instead of the policy's `delay`: without jitter, and at
 * most 365 days later: `throw new RetryableError("busy", { retryAfterHeader: response.headers.get("retry-after") })`.
 * `retries.limit` and `retries.shouldRetry` still decide whether there is another attempt.
 *
 * Any other error with such a field (`retryAfterMs`, or `retryAt` with a Date) is treated in the same way.
 */
export class RetryableError extends Error {
  override name = "RetryableError";
  /** Counted from the database's time when the failure is recorded. Absent: `retryAt`, or the policy's delay. */
  declare readonly retryAfterMs?: number;
  /** Compared with the database's clock. In the past means at once. */
  declare readonly retryAt?: Date;

  /** @throws {WorkflowError} INVALID_DURATION, UNKNOWN_OPTION */
  constructor(message: string, options: RetryableErrorOptions = {}) {
    assertKnownOptions("RetryableError", options, OPTIONS);
    super(message, options);
    const retryAfter = fromHeader(options.retryAfterHeader) ?? options.retryAfter;
    if (retryAfter === undefined) return;
    Object.assign(this, toFields(retryAfter, `retryAfter of RetryableError "${message}"`));
  }
}

function fromHeader(given: string | null | undefined): number | Date | undefined {
  const text = given?.trim() ?? "";
  if (/^\d+$/u.test(text)) return Math.min(Number(text) * 1000, MAX_RETRY_DELAY_MS);
  // Date.parse takes more than HTTP does: "1.5" is a day in 2001.
  const date = new Date(/^[A-Z][a-z]+, .+ GMT$/u.test(text) ? text : Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

const toFields = (
  retryAfter: WorkflowDuration | Date,
  what: string,
): Pick<RetryableError, "retryAfterMs" | "retryAt"> =>
  retryAfter instanceof Date && !Number.isNaN(retryAfter.getTime())
    ? { retryAt: new Date(retryAfter) }
    : { retryAfterMs: parseDuration(retryAfter as WorkflowDuration, what) };
