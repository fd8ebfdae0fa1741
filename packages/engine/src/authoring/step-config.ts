/** Step configuration with every default filled in. */
import type { RetryPolicy } from "../core/backoff.ts";
import { parseDuration, type WorkflowDuration } from "../core/duration.ts";
import { WorkflowError } from "../core/errors.ts";
import { showValue } from "../core/show-value.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { StepRetries, WorkflowStepConfig } from "./step-options.ts";

export interface ResolvedRetries {
  /** Its delay is 0 if a function computes the delay. */
  readonly policy: RetryPolicy;
  readonly shouldRetry: Required<StepRetries>["shouldRetry"];
  /** null: the policy has the delay. */
  readonly delay: DelayFunction | null;
}

export interface ResolvedStepConfig extends ResolvedRetries {
  readonly timeoutMs: DurationMs;
}

type DelayFunction = Extract<StepRetries["delay"], (...asked: never) => unknown>;

/** @source founding spec 000 §9.3 */
export const DEFAULT_STEP_CONFIG: {
  readonly retries: Required<StepRetries>;
  readonly timeout: WorkflowDuration;
} = {
  retries: {
    limit: 5,
    delay: 10_000,
    backoff: "exponential",
    jitter: 0,
    shouldRetry: () => true,
  },
  timeout: "10 minutes",
};

const DEFAULTS = DEFAULT_STEP_CONFIG.retries;

/** Every option of `retries`. */
export const RETRIES_OPTIONS: Readonly<Record<keyof StepRetries, unknown>> = DEFAULTS;

/**
 * Merges settings: later layers win over earlier ones, and all of them over the defaults.
 *
 * @throws {WorkflowError} INVALID_RETRY_POLICY, INVALID_DURATION
 */
export function resolveStepConfig(...layers: readonly WorkflowStepConfig[]): ResolvedStepConfig {
  const merged = Object.assign({}, DEFAULT_STEP_CONFIG, ...layers) as Required<WorkflowStepConfig>;
  return {
    ...resolveRetries(merged.retries),
    timeoutMs: parseDuration(merged.timeout, "timeout"),
  };
}

/**
 * Fills in the defaults of a retry policy. @param option the option that has it, for messages
 *
 * @throws {WorkflowError} INVALID_RETRY_POLICY, INVALID_DURATION
 */
export function resolveRetries(retries: StepRetries | null, option = "retries"): ResolvedRetries {
  // A field that is undefined counts as left out.
  const {
    limit = NaN,
    delay = DEFAULTS.delay,
    backoff = DEFAULTS.backoff,
    jitter = DEFAULTS.jitter,
    shouldRetry = DEFAULTS.shouldRetry,
  }: Partial<StepRetries> = retries ?? {};
  const isLimit = limit === Infinity || (Number.isInteger(limit) && limit >= 0);
  if (
    !isLimit ||
    !["constant", "linear", "exponential"].includes(backoff) ||
    !(jitter >= 0 && jitter <= 1) ||
    typeof shouldRetry !== "function"
  ) {
    throw new WorkflowError(
      "INVALID_RETRY_POLICY",
      `${option} ${showValue(retries)} is invalid; expected an object such as { limit: 3 }: limit ≥ 0 or Infinity, backoff constant, linear or exponential, jitter 0 to 1, shouldRetry a function`,
      { limit: String(limit), backoff, jitter },
    );
  }
  const asked = typeof delay === "function" ? delay : null;
  const delayMs = typeof delay === "function" ? 0 : parseDuration(delay, `${option}.delay`);
  const policy = { maxAttempts: limit + 1, delayMs, backoff, jitter };
  return { policy, shouldRetry, delay: asked };
}
