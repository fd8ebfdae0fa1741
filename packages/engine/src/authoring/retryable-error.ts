/** The error by which a step's body says when it is worth another attempt. */
import { MAX_RETRY_DELAY_MS } from "../core/backoff.ts";
import { parseDuration, type WorkflowDuration } from "../core/duration.ts";
import { assertKnownOptions } from "../core/known-names.ts";

/** When the next attempt is to come. Nothing given: by the step's policy. */
interface RetryableErrorOptions {
  /** Milliseconds or a duration string from now on, or an instant. */
  readonly retryAfter?: WorkflowDuration | Date;
  /**
   * Text of an HTTP answer's `Retry-After`: `response.headers.get("retry-after")`. Seconds or a date. Where there is none, or
   * one that cannot be read, `retryAfter` holds.
   *
   * @source RFC 9110 §10.2.3
   */
  readonly retryAfterHeader?: string | null;
  /** What made it necessary. */
  readonly cause?: unknown;
}

const OPTIONS: Readonly<Record<keyof RetryableErrorOptions, 1>> = {
  retryAfter: 1,
  retryAfterHeader: 1,
  cause: 1,
};

/**
 * Thrown by authors inside a step: the next attempt comes when the error says, in place of the policy's `delay`, without
 * jitter, and at most 365 days later. Whether one comes is for `retries.limit` and `retries.shouldRetry` to say.
 *
 * Any other error with such a field (`retryAfterMs`, or `retryAt` with a Date) is treated alike.
 */
export class RetryableError extends Error {
  override name = "RetryableError";
  /** From the database's time when the failure is recorded; absent: `retryAt`, or the policy's delay. */
  declare readonly retryAfterMs?: number;
  /** Compared with the database's clock; in the past: at once. */
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
