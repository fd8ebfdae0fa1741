/** What becomes of a step when an attempt ends. */
import { type RetryPolicy, retryDelayMs } from "../backoff.ts";
import type { StepWrite } from "../model/change.ts";
import type { ErrorRecord, JsonText } from "../model/records.ts";

/** The body returned. */
export const decideAttemptCompleted = (started: StepWrite, result: JsonText | null): StepWrite => ({
  ...started,
  status: "completed",
  result,
});

export interface AttemptFailure {
  readonly error: ErrorRecord;
  /** The error forbids another attempt. */
  readonly isFinal: boolean;
  /** Delay that the error itself asks for; null: the policy's. */
  readonly retryAfterMs: number | null;
  /** In [0, 1), for jitter. */
  readonly chance: number;
}

/**
 * The body threw or timed out: `waiting` for its next attempt, or `errored` when none is left or the error is final.
 *
 * @source founding spec 000 §9.3
 */
export function decideAttemptFailed(
  started: StepWrite,
  policy: RetryPolicy,
  failure: AttemptFailure,
): StepWrite {
  const { error } = failure;
  if (failure.isFinal || started.attempts >= policy.maxAttempts)
    return { ...started, status: "errored", error };
  const inMs = failure.retryAfterMs ?? retryDelayMs(policy, started.attempts, failure.chance);
  return { ...started, status: "waiting", error, nextRetry: { inMs } };
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
