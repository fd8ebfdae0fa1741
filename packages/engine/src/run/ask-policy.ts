/** Asks the functions of a retry policy about an attempt that failed. They are the deployed code's: only their answers last. */
import type { ResolvedStepConfig } from "../authoring/step-config.ts";
import type { RetryPolicy } from "../core/backoff.ts";
import { parseDuration, type WorkflowDuration } from "../core/duration.ts";
import { toErrorRecord } from "../core/error-record.ts";
import { WorkflowError } from "../core/errors.ts";
import type { StepWrite } from "../core/model/change.ts";
import { isFinalError, retryAfterOf } from "./step-error.ts";

/**
 * The policy with the delay that holds for this failure; null: no other attempt.
 *
 * @param started the attempt that threw
 * @throws {WorkflowError} INVALID_RETRY_POLICY — a function threw or gave no answer; the cause is what the attempt threw
 */
export function askPolicy(
  { policy, shouldRetry, delay }: ResolvedStepConfig,
  { stepKey, attempts }: StepWrite,
  thrown: unknown,
): RetryPolicy | null {
  if (isFinalError(thrown) || attempts >= policy.maxAttempts) return null;
  let option = "shouldRetry";
  let answer: unknown;
  try {
    answer = shouldRetry(thrown, attempts);
    if (answer === false) return null;
    if (answer !== true) throw TypeError(`${toErrorRecord(answer).message} is not true or false`);
    if (delay === null || retryAfterOf(thrown) !== null) return policy;
    option = "delay";
    answer = delay(attempts, thrown);
    const delayMs = parseDuration(answer as WorkflowDuration, "it");
    return { ...policy, delayMs, backoff: "constant" };
  } catch (error) {
    // A promise is no answer, and must not bring the process down when it rejects.
    void (async () => answer)().catch(() => {});
    const fault = toErrorRecord(error);
    const message = `retries.${option} of step "${stepKey}" gave no answer: ${fault.message}`;
    const details = { stepKey, option, fault };
    throw new WorkflowError("INVALID_RETRY_POLICY", message, details, thrown);
  }
}
