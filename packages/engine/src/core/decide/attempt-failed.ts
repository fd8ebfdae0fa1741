/** What becomes of a step when an attempt fails. */
import { nextAttempt, type Retrying, type RetryPolicy } from "../backoff.ts";
import type { StepWrite } from "../model/change.ts";
import type { EpochMs, ErrorRecord } from "../model/records.ts";
import { endedWithout } from "./attempt.ts";

export interface AttemptFailure extends Retrying {
  readonly error: ErrorRecord;
  /** When the body started and ended. */
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs;
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
  const { error, startedAt: attemptStartedAt, endedAt } = failure;
  const failedAttempts = endedWithout({ ...started, attemptStartedAt }, endedAt, error);
  const failed = { ...started, attemptStartedAt, failedAttempts, error };
  if (policy === null || started.attempts >= policy.maxAttempts)
    return { ...failed, status: "errored" };
  const nextRetry = nextAttempt(policy, started.attempts, failure);
  return { ...failed, status: "waiting", nextRetry };
}
