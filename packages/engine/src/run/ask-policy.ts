/** Asks the functions of a retry policy about an attempt that failed. They are the deployed code's: only their answers last. */
import type { ResolvedRetries } from "../authoring/step-config.ts";
import type { RetryPolicy } from "../core/backoff.ts";
import { parseDuration, type WorkflowDuration } from "../core/duration.ts";
import { toErrorRecord } from "../core/error-record.ts";
import { WorkflowError } from "../core/errors.ts";
import type { When } from "../core/model/change.ts";

/** An attempt that threw: of a step, or a run. */
export interface AskedOf {
  readonly attempts: number;
  /** When what was thrown asks for the next one; null: it does not. */
  readonly retryAfter: When | null;
  /** Where the policy stands, and whose it is: `retries`, `step "pay"`. */
  readonly option: "retries" | "runRetries";
  readonly owner: string;
  /** The same as details of an error. */
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * The policy with the delay that holds for this failure; null: no other attempt.
 *
 * @throws {WorkflowError} INVALID_RETRY_POLICY — a function threw or gave no answer; the cause is what the attempt threw
 */
export function askPolicy(
  { policy, shouldRetry, delay }: ResolvedRetries,
  { attempts, retryAfter, option: of, owner, details: whose }: AskedOf,
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
    // A promise is no answer, and must not bring the process down when it rejects.
    void (async () => answer)().catch(() => {});
    const fault = toErrorRecord(error);
    const message = `${of}.${option} of ${owner} gave no answer: ${fault.message}`;
    const details = { ...whose, option, fault };
    throw new WorkflowError("INVALID_RETRY_POLICY", message, details, thrown);
  }
}
