/** From what was thrown to what is stored, and from what is stored to the error that workflow code catches. */
import { attempt, readField } from "../core/attempt.ts";
import { createErrorRecord } from "../core/stored-error.ts";
import { normalizeErrorRecord, toErrorRecord } from "../core/error-record.ts";
import { WorkflowError } from "../core/errors.ts";
import { CancelledError } from "../core/author-errors.ts";
import { ownCode, rebuildError } from "../core/rebuild-error.ts";
import type { StepWrite, When } from "../core/model/change.ts";
import type { ErrorRecord } from "../core/model/records.ts";

/** Takes what must not be stored or logged out of an error; see the option `redactError`. */
export type RedactError = (record: ErrorRecord) => ErrorRecord;

/** What was thrown, for as long as this process has its record: author code catches its own error again. */
const THROWN = new WeakMap<ErrorRecord, { readonly error: unknown }>();

/** The record of whatever was thrown, as it is stored and logged. Never throws. */
export function recordError(error: unknown, redactError: RedactError | null): ErrorRecord {
  const whole = toErrorRecord(error);
  const record = redactError === null ? whole : redact(whole, redactError);
  THROWN.set(record, { error });
  return record;
}

/** What could not be redacted may hold anything, so only its name and code are kept. */
const redact = (record: ErrorRecord, redactError: RedactError): ErrorRecord =>
  attempt(() => normalizeErrorRecord(redactError(record)), {
    ...record,
    message: "redactError threw, so nothing else is kept of this error",
    details: null,
    stack: null,
    cause: null,
  });

/** Whether an error forbids another attempt, whatever the policy says. */
export const isFinalError = (error: unknown): boolean =>
  WorkflowError.is(error) && attempt(() => !error.retryable, false);

/** When an error asks for the next attempt: `retryAt`, a Date, or `retryAfterMs`, as a `RetryableError` has them. */
export function retryAfterOf(error: unknown): When | null {
  if (typeof error !== "object" || error === null) return null;
  // Throws for what is no Date, of whatever realm.
  const read = (): number => Date.prototype.getTime.call(readField(error, "retryAt"));
  const at = attempt(read, Number.NaN);
  if (!Number.isNaN(at)) return { at };
  const inMs = readField(error, "retryAfterMs");
  return typeof inMs === "number" && Number.isFinite(inMs) && inMs >= 0 ? { inMs } : null;
}

const UNKNOWN: ErrorRecord = createErrorRecord("STEP_FAILED", {
  name: "Error",
  message: "the step failed",
});

/**
 * The error of a step that failed. Name, message and stack are those of the error that it ended with; the code says how
 * it ended: `STEP_FAILED` where author code threw, else the code of Escapement's own error, with its details. `cause` is
 * what was thrown: the very object in the process that saw it, and an error made of its record after a replay.
 */
export function toStepError(
  step: Pick<StepWrite, "stepKey" | "type" | "attempts" | "error">,
): WorkflowError {
  const record = step.error ?? UNKNOWN;
  const { code, details } = ownCode(record) ?? { code: "STEP_FAILED", details: {} };
  const more = { ...details, stepKey: step.stepKey, attempts: step.attempts };
  if (code === "CANCELLED") return new CancelledError(record.message, more);
  const error = new WorkflowError(code, record.message, more, causeOf(record));
  error.name = record.name;
  if (record.stack !== null) error.stack = record.stack;
  return error;
}

function causeOf(record: ErrorRecord): unknown {
  const thrown = THROWN.get(record);
  if (thrown !== undefined) return thrown.error;
  // Nobody threw what the engine found by itself, such as a wait's deadline.
  if (ownCode(record) === null || record.stack !== null) return rebuildError(record);
  return record.cause === null ? undefined : rebuildError(record.cause);
}
