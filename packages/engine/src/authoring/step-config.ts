/** Step configuration with every default filled in. */
import type { RetryPolicy } from "../core/backoff.ts";
import { parseDuration, type WorkflowDuration } from "../core/duration.ts";
import { WorkflowError } from "../core/errors.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { StepRetries, WorkflowStepConfig } from "./step.ts";

export interface ResolvedStepConfig {
  readonly policy: RetryPolicy;
  readonly timeoutMs: DurationMs;
}

/** @source founding spec 000 §9.3 */
export const DEFAULT_STEP_CONFIG: {
  readonly retries: Required<StepRetries>;
  readonly timeout: WorkflowDuration;
} = {
  retries: { limit: 5, delay: 10_000, backoff: "exponential", jitter: 0 },
  timeout: "10 minutes",
};

/** Every option of `retries`. */
export const RETRIES_OPTIONS: Readonly<Record<keyof StepRetries, unknown>> =
  DEFAULT_STEP_CONFIG.retries;

/**
 * The step's own settings over the workflow's over the defaults.
 *
 * @throws {WorkflowError} INVALID_RETRY_POLICY, INVALID_DURATION
 */
export function resolveStepConfig(...layers: readonly WorkflowStepConfig[]): ResolvedStepConfig {
  const merged = Object.assign({}, DEFAULT_STEP_CONFIG, ...layers) as Required<WorkflowStepConfig>;
  const policy = resolvePolicy(merged.retries);
  return { policy, timeoutMs: parseDuration(merged.timeout, "timeout") };
}

function resolvePolicy(retries: StepRetries | null): RetryPolicy {
  const { limit = NaN, ...given } = retries ?? {};
  const { delay, backoff, jitter } = withDefaults(given);
  const isLimit = limit === Infinity || (Number.isInteger(limit) && limit >= 0);
  if (
    !isLimit ||
    !["constant", "linear", "exponential"].includes(backoff) ||
    !(jitter >= 0 && jitter <= 1)
  ) {
    throw new WorkflowError(
      "INVALID_RETRY_POLICY",
      `retries { limit: ${limit}, backoff: ${backoff}, jitter: ${jitter} } is invalid; expected a limit ≥ 0 or Infinity, backoff constant, linear or exponential, jitter 0 to 1`,
      { limit: String(limit), backoff, jitter },
    );
  }
  return {
    maxAttempts: limit + 1,
    delayMs: parseDuration(delay, "retries.delay"),
    backoff,
    jitter,
  };
}

/** A field that is undefined counts as left out. */
const withDefaults = ({
  delay = DEFAULT_STEP_CONFIG.retries.delay,
  backoff = DEFAULT_STEP_CONFIG.retries.backoff,
  jitter = DEFAULT_STEP_CONFIG.retries.jitter,
}: Omit<StepRetries, "limit">): Required<Omit<StepRetries, "limit">> => ({
  delay,
  backoff,
  jitter,
});
