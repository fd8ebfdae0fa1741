/** What becomes of a step when an attempt ends. */
import { boundRetryAfter, type RetryPolicy, retryDelayMs } from "../backoff.ts";
import type { StepWrite, When } from "../model/change.ts";
import type { EpochMs, ErrorRecord, JsonText } from "../model/records.ts";

/** The body returned. */
export const decideAttemptCompleted = (started: StepWrite, result: JsonText | null): StepWrite => ({
  ...started,
  status: "completed",
  result,
});

export interface AttemptFailure {
  readonly error: ErrorRecord;
  /** When the error itself asks for the next attempt; null: the policy's delay holds. */
  readonly retryAfter: When | null;
  /** Database time as last heard. */
  readonly now: EpochMs;
  /** In [0, 1), for jitter. */
  readonly chance: number;
}

/**
 * The body threw or timed out: `waiting` for its next attempt, or `errored` when none is left.
 *
 * @param policy null: the error is final, or the policy was asked and forbids another attempt
 * @source founding spec 000 §9.3
 */
export function decideAttemptFailed(
  started: StepWrite,
  policy: RetryPolicy | null,
  failure: AttemptFailure,
): StepWrite {
  const { error, retryAfter } = failure;
  if (policy === null || started.attempts >= policy.maxAttempts)
    return { ...started, status: "errored", error };
  const nextRetry =
    retryAfter === null
      ? { inMs: retryDelayMs(policy, started.attempts, failure.chance) }
      : boundRetryAfter(retryAfter, failure.now);
  return { ...started, status: "waiting", error, nextRetry };
}

/** The process must stop before the body has ended: the attempt is lost, the next may start at once. */
export const decideAttemptInterrupted = (started: StepWrite): StepWrite => ({
  ...started,
  status: "waiting",
  attempts: started.attempts - 1,
  lostAttempts: started.lostAttempts + 1,
  nextRetry: { inMs: 0 },
});

/** The start was committed but the body has not been started: the attempt is taken back. */
export const decideStartTakenBack = (started: StepWrite): StepWrite => ({
  ...started,
  status: "waiting",
  attempts: started.attempts - 1,
  nextRetry: { inMs: 0 },
});
