/** What becomes of a step when an attempt brings no outcome. */
import { nextAttempt, type Retrying, type RetryPolicy } from "../backoff.ts";
import { addFailedAttempt } from "../failed-attempts.ts";
import type { StepWrite } from "../model/change.ts";
import type { EpochMs, ErrorRecord, JsonText } from "../model/records.ts";

export interface AttemptFailure extends Retrying {
  readonly error: ErrorRecord;
  /** When the body started and ended. */
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs;
}

/**
 * The body threw or timed out: `waiting` for its next attempt, or `errored` if none is left.
 *
 * @param policy null: the error is final, or the author's policy function forbids another attempt
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

/** The process must stop before the body has ended: the attempt is lost, the next may start at once. */
export const decideAttemptInterrupted = (started: StepWrite, endedAt: EpochMs): StepWrite => ({
  ...started,
  status: "waiting",
  attempts: started.attempts - 1,
  lostAttempts: started.lostAttempts + 1,
  failedAttempts: endedWithout(started, endedAt, null),
  nextRetry: { inMs: 0 },
});

/** The start was committed but the body has not been started: the attempt is taken back. */
export const decideStartTakenBack = (started: StepWrite): StepWrite => ({
  ...started,
  status: "waiting",
  attempts: started.attempts - 1,
  attemptStartedAt: null,
  runner: null,
  nextRetry: { inMs: 0 },
});

/** The step's attempts with the present one, that brought no outcome. @param error null: it was lost */
const endedWithout = (
  { attempts, lostAttempts, attemptStartedAt, runner, failedAttempts }: StepWrite,
  endedAt: EpochMs,
  error: ErrorRecord | null,
): JsonText =>
  addFailedAttempt(failedAttempts, {
    attempt: attempts + lostAttempts,
    startedAt: attemptStartedAt,
    endedAt,
    runner,
    error,
  });
