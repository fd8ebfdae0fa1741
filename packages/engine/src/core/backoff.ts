/** The time of a failed step's next attempt. */
import type { When } from "./model/change.ts";
import type { DurationMs, EpochMs } from "./model/records.ts";

export type Backoff = "constant" | "linear" | "exponential";

/** The longest delay between attempts. It bounds exponential growth as well as the delay that an error asks for. */
export const MAX_RETRY_DELAY_MS: DurationMs = 365 * 86_400_000;

/** A retry policy with every default filled in. */
export interface RetryPolicy {
  /** Attempts in all, ≥ 1; `retries.limit + 1`. Infinity: no bound. */
  readonly maxAttempts: number;
  readonly delayMs: DurationMs;
  readonly backoff: Backoff;
  /** Share of the delay that is random, 0–1: the delay is drawn from [delay × (1 − jitter), delay]. */
  readonly jitter: number;
}

/**
 * The delay before the next attempt.
 *
 * @param attempt 1-based number of the attempt that failed
 * @param chance  in [0, 1); used only with jitter
 * @returns whole milliseconds, 0 to MAX_RETRY_DELAY_MS
 * @source founding spec 000 §9.3
 */
export function retryDelayMs(policy: RetryPolicy, attempt: number, chance: number): DurationMs {
  // Not Infinity, because Infinity × 0 is NaN.
  const growth = policy.backoff === "linear" ? attempt : 2 ** Math.min(attempt - 1, 99);
  const factor = policy.backoff === "constant" ? 1 : growth;
  const fullMs = Math.min(policy.delayMs * factor, MAX_RETRY_DELAY_MS);
  return Math.round(fullMs * (1 - policy.jitter * chance));
}

/**
 * The time of the next attempt.
 *
 * @param attempt 1-based number of the attempt that failed
 */
export const nextAttempt = (
  policy: RetryPolicy,
  attempt: number,
  { retryAfter, now, chance }: Retrying,
): When =>
  retryAfter === null
    ? { inMs: retryDelayMs(policy, attempt, chance) }
    : boundRetryAfter(retryAfter, now);

/** The other inputs of the decision. */
export interface Retrying {
  /** The time of the next attempt, if the error asks for one; null: the policy's delay applies. */
  readonly retryAfter: When | null;
  /** Database time, as last read. */
  readonly now: EpochMs;
  /** In [0, 1), for jitter. */
  readonly chance: number;
}

/**
 * The end of the delay that an error asks for, in whole milliseconds: not before now, and at most MAX_RETRY_DELAY_MS from now.
 *
 * @param now database time, as last read
 */
export const boundRetryAfter = (when: When, now: EpochMs): When =>
  "at" in when
    ? { at: Math.min(Math.max(when.at, now), now + MAX_RETRY_DELAY_MS) }
    : { inMs: Math.min(Math.round(when.inMs), MAX_RETRY_DELAY_MS) };
