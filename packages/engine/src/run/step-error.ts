/** Converts thrown values into stored errors, and stored errors into the errors that workflow code catches. */
import { attempt } from "../core/attempt.ts";
import { readField } from "../core/read-field.ts";
import { createErrorRecord } from "../core/stored-error.ts";
import { normalizeErrorRecord, toErrorRecord } from "../core/error-record.ts";
import { WorkflowError } from "../core/errors.ts";
import { CancelledError } from "../core/author-errors.ts";
import { ownCode, rebuildError } from "../core/rebuild-error.ts";
import type { StepWrite, When } from "../core/model/change.ts";
import type { ErrorRecord } from "../core/model/records.ts";

/** Removes from an error what must not be stored or logged; see the option `redactError`. */
export type RedactError = (record: ErrorRecord) => ErrorRecord;

/** The thrown values of stored errors, as long as this process has the record, so that author code catches its own error object. */
const THROWN = new WeakMap<ErrorRecord, { readonly error: unknown }>();

/** Makes the record of a thrown value, as it is stored and logged. Never throws. */
export function recordError(error: unknown, redactError: RedactError | null): ErrorRecord {
  const whole = toErrorRecord(error);
  const record = redactError === null ? whole : redact(whole, redactError);
  THROWN.set(record, { error });
  return record;
}

/** If redacting fails, only name and code are kept, because the rest may contain anything. */
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
  // This throws for anything but a Date, also from another realm.
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
 * Makes the error of a failed step. Name, message and stack are those of the step's last error. The code says how the step
 * ended: `STEP_FAILED` if author code threw, otherwise the code of Escapement's own error, with its details. `cause` is what
 * was thrown: the same object in the process that saw it, and an error made from the record after a replay.
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
  // An error that the engine found itself, such as a wait's timeout, was not thrown by anybody.
  if (ownCode(record) === null || record.stack !== null) return rebuildError(record);
  return record.cause === null ? undefined : rebuildError(record.cause);
}
