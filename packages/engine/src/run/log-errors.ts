/** Log lines of what fails: every attempt as a warning, every run as an error, with stack and causes. */
import { normalizeErrorRecord, toErrorRecord } from "../core/error-record.ts";
import { toShownError } from "../core/shown-error.ts";
import type { RunOutcome } from "../core/model/change.ts";
import type { EpochMs, ErrorRecord, RunRef } from "../core/model/records.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { Logger } from "../ports/logger.ts";
import type { AttemptFailed } from "./notices.ts";

/** UTF-8 bytes of an error in a log line: collectors split longer lines. */
const MAX_LOGGED_BYTES = 15_000;

/** The fields of a log line for an error: bounded, and only those that the error has. */
export function toErrorFields(record: ErrorRecord): Readonly<Record<string, unknown>> {
  return { error: withoutNulls(normalizeErrorRecord(record, MAX_LOGGED_BYTES)) };
}

function withoutNulls({ cause, ...record }: ErrorRecord): Readonly<Record<string, unknown>> {
  const present = Object.entries(record).filter(([, value]) => value !== null);
  return {
    ...Object.fromEntries(present),
    ...(cause === null ? {} : { cause: withoutNulls(cause) }),
  };
}

/** Logs an attempt that threw, timed out or returned something that cannot be stored. */
export function logAttemptFailed(
  logger: Logger,
  run: RunRef,
  { step, error, now }: AttemptFailed,
): void {
  const next = step.nextRetry;
  logger.log("warn", "step.attempt_failed", {
    ...run,
    stepKey: step.stepKey,
    attempt: step.attempts + step.lostAttempts,
    maxAttempts: step.maxAttempts,
    willRetryInMs: next === null ? null : "at" in next ? next.at - now : next.inMs,
    ...toErrorFields(error),
  });
}

/** Logs a session that ended because of a bug in the engine or in a custom store. */
export function logRunBroken(
  logger: Logger,
  { run }: Pick<ClaimedRun, "run">,
  error: unknown,
): void {
  logger.log("error", "run.broken", { ...run, ...toErrorFields(toErrorRecord(error)) });
}

/** Logs a run that ended with an error or begins again after one, and a cancelled run whose clean-up failed. */
export function logRunEnded(
  logger: Logger,
  { run, retryCount }: Pick<ClaimedRun, "run" | "retryCount">,
  outcome: RunOutcome,
  now: EpochMs,
): void {
  if (!("error" in outcome) || outcome.error === null) return;
  const fields = { ...run, ...toErrorFields(toShownError(outcome.error)) };
  if (outcome.kind === "retryRun") {
    const { due } = outcome;
    const willRetryInMs = "at" in due ? due.at - now : due.inMs;
    logger.log("warn", "run.failed", { ...fields, retryCount, willRetryInMs });
  } else if (outcome.kind === "fail") logger.log("error", "run.errored", fields);
  else logger.log("warn", "run.terminated", fields);
}
