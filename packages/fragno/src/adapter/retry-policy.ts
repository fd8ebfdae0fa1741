/** A retry policy for `handlerTx` that spreads contenders. */
import type { RetryPolicy } from "@fragno-dev/db";

/** How often and with which delays to try a unit of work again. */
export interface JitteredRetryOptions {
  /** The number of tries after the first. @default 20 @minimum 0 */
  readonly maxRetries?: number;
  /** Upper bound of the first wait, doubled with each try, in milliseconds. @default 10 */
  readonly baseDelayMs?: number;
  /** The longest wait, in milliseconds. @default 500 */
  readonly maxDelayMs?: number;
  /** Random number in [0, 1). @default Math.random */
  readonly random?: () => number;
}

/**
 * Waits a random time up to a bound that doubles, so that writers of one row do not collide again and again. Fragno's own default is five
 * retries in lockstep.
 *
 * ```ts
 * async function handler(this: DatabaseRequestContext) {
 *   await this.handlerTx({ retryPolicy: createJitteredRetryPolicy() }).execute();
 * }
 * ```
 */
export function createJitteredRetryPolicy(options: JitteredRetryOptions = {}): RetryPolicy {
  const { maxRetries = 20, baseDelayMs = 10, maxDelayMs = 500, random = Math.random } = options;
  return {
    shouldRetry: (attempt, _error, signal) => signal?.aborted !== true && attempt < maxRetries,
    getDelayMs: (attempt) => random() * Math.min(maxDelayMs, baseDelayMs * 2 ** attempt),
  };
}
