/** What becomes of a step when an attempt ends. */
import { nextAttempt, type Retrying, type RetryPolicy } from "../backoff.ts";
import type { StepWrite } from "../model/change.ts";
import type { ErrorRecord, JsonText } from "../model/records.ts";

/** The body returned. */
export const decideAttemptCompleted = (started: StepWrite, result: JsonText | null): StepWrite => ({
  ...started,
  status: "completed",
  result,
});

export interface AttemptFailure extends Retrying {
  readonly error: ErrorRecord;
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
  const { error } = failure;
  if (policy === null || started.attempts >= policy.maxAttempts)
    return { ...started, status: "errored", error };
  const nextRetry = nextAttempt(policy, started.attempts, failure);
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
