/** What becomes of a step when an attempt completes. What else it may come to is in `attempt-failed.ts`. */
import type { StepWrite } from "../model/change.ts";
import type { EpochMs, JsonText } from "../model/records.ts";

/** The body returned. @param attemptStartedAt when the body started */
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
