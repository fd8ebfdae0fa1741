/** Asks the functions of a retry policy about a failed attempt. The functions are those of the deployed code; only their answers are stored. */
import type { ResolvedRetries } from "../authoring/step-config.ts";
import type { RetryPolicy } from "../core/backoff.ts";
import { parseDuration, type WorkflowDuration } from "../core/duration.ts";
import { toErrorRecord } from "../core/error-record.ts";
import { WorkflowError } from "../core/errors.ts";
import type { When } from "../core/model/change.ts";

/** A step's attempt, or a run, that threw. */
export interface PolicyRequest {
  readonly attempts: number;
  /** When the thrown error asks to be tried again; null: it does not. */
  readonly retryAfter: When | null;
  /** The option that has the policy, and what it belongs to: `retries`, `step "pay"`. */
  readonly option: "retries" | "runRetries";
  readonly owner: string;
  /** The same as details of an error. */
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Returns the policy with the delay for this failure; null: no further attempt.
 *
 * @throws {WorkflowError} INVALID_RETRY_POLICY — a function threw or gave no answer; the cause is what the attempt threw
 */
export function askPolicy(
  { policy, shouldRetry, delay }: ResolvedRetries,
  { attempts, retryAfter, option: of, owner, details: whose }: PolicyRequest,
  thrown: unknown,
): RetryPolicy | null {
  if (attempts >= policy.maxAttempts) return null;
  let option = "shouldRetry";
  let answer: unknown;
  try {
    answer = shouldRetry(thrown, attempts);
    if (answer === false) return null;
    if (answer !== true) throw TypeError(`${toErrorRecord(answer).message} is not true or false`);
    if (delay === null || retryAfter !== null) return policy;
    option = "delay";
    answer = delay(attempts, thrown);
    const delayMs = parseDuration(answer as WorkflowDuration, "it");
    return { ...policy, delayMs, backoff: "constant" };
  } catch (error) {
    // A promise is not an answer, and must not end the process if it rejects.
    void (async () => answer)().catch(() => {});
    const fault = toErrorRecord(error);
    const message = `${of}.${option} of ${owner} gave no answer: ${fault.message}`;
    const details = { ...whose, option, fault };
    throw new WorkflowError("INVALID_RETRY_POLICY", message, details, thrown);
  }
}
