/**
 * @module Decides whether a failed run begins again, as its workflow's `runRetries` says. Loaded when a run of such a workflow
 * first fails.
 */
import type { ResolvedRetries } from "../authoring/step-config.ts";
import { nextAttempt } from "../core/backoff.ts";
import { readField } from "../core/read-field.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { WorkflowError } from "../core/errors.ts";
import type { When } from "../core/model/change.ts";
import { askPolicy } from "./ask-policy.ts";
import type { Session } from "./session-interface.ts";
import type { RunRetry } from "./session-end.ts";
import { isFinalError, retryAfterOf } from "./step-error.ts";

/** How many levels of causes and inner errors to look at. */
const MAX_DEPTH = 5;

/** Our errors that report the failure of a step, as opposed to a mistake in the workflow's code. */
const OF_STEPS: ReadonlySet<ErrorCode> = new Set([
  "STEP_FAILED",
  "STEP_MAX_ATTEMPTS_EXCEEDED",
  "EVENT_TIMEOUT",
  "CHILD_FAILED",
  "CHILD_TERMINATED",
]);

/**
 * Decides when the next run begins; null: there is none.
 *
 * @throws {WorkflowError} INVALID_RETRY_POLICY — a function of the policy gave no answer; the cause is what the run failed with
 */
export function decideRunRetry(
  { claimed, context, known }: Session,
  policy: ResolvedRetries,
  error: unknown,
): RunRetry | null {
  if (isFinal(error)) return null;
  const { workflowName } = claimed.run;
  const attempts = claimed.retryCount + 1;
  const retryAfter = findRetryAfter(error);
  const owner = `workflow "${workflowName}"`;
  const asked = { attempts, retryAfter, option: "runRetries", owner } as const;
  const allowed = askPolicy(policy, { ...asked, details: { workflowName } }, error);
  if (allowed === null) return null;
  const chance = context.host.random();
  // With the old keys, services that deduplicate would answer with what has been undone.
  const keys = isRolledBack(error) ? "new" : "same";
  return { due: nextAttempt(allowed, attempts, { retryAfter, now: known.now, chance }), keys };
}

const isRolledBack = (error: unknown): boolean =>
  WorkflowError.is(error) && error.code === "ROLLED_BACK";

/** Whether another run would fail in the same way: a `NonRetryableError` (also in a branch or as the cause of a rollback), or a mistake in the code. */
function isFinal(error: unknown, depth = MAX_DEPTH): boolean {
  if (!isFinalError(error) || !WorkflowError.is(error)) return false;
  const { code } = error;
  if (OF_STEPS.has(code) || depth === 0) return false;
  if (code === "ROLLED_BACK") return isFinal(readField(error, "cause"), depth - 1);
  if (code !== "JOIN_FAILED") return true;
  const inner = Object.values(readField(error, "errors") ?? {});
  return inner.some((one) => isFinal(one, depth - 1));
}

/** When an error, or the error that a step ended with, asks to be tried again. */
function findRetryAfter(error: unknown, depth = MAX_DEPTH): When | null {
  const own = retryAfterOf(error) ?? parseRetryAt(error);
  if (own !== null || depth === 0 || !WorkflowError.is(error)) return own;
  return findRetryAfter(readField(error, "cause"), depth - 1);
}

/** After a replay, a Date that was stored with an error is text. */
function parseRetryAt(error: unknown): When | null {
  if (typeof error !== "object" || error === null) return null;
  const text = readField(error, "retryAt");
  const at = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : { at };
}
