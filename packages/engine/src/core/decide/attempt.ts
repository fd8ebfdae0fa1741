/** What becomes of a step when an attempt ends. */
import { addFailedAttempt } from "../failed-attempts.ts";
import type { StepWrite } from "../model/change.ts";
import type { EpochMs, ErrorRecord, JsonText } from "../model/records.ts";

/** The body returned. @param attemptStartedAt when it started */
export const decideAttemptCompleted = (
  started: StepWrite,
  result: JsonText | null,
  attemptStartedAt: EpochMs | null = started.attemptStartedAt,
): StepWrite => ({
  ...started,
  status: "completed",
  result,
  attemptStartedAt,
});

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
export const endedWithout = (
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
