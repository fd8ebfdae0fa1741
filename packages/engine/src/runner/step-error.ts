/** The error that workflow code catches, the same when a step fails and when its failure is replayed. */
import { WorkflowError, type ErrorCode } from "../core/errors.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { ErrorRecord } from "../core/model/records.ts";

const CODE_BY_NAME: Readonly<Record<string, ErrorCode>> = {
  EventTimeout: "EVENT_TIMEOUT",
  StepTimeout: "STEP_TIMEOUT",
  StepMaxAttemptsExceeded: "STEP_MAX_ATTEMPTS_EXCEEDED",
};

/** `name` and `message` are those of the error that the step ended with; `code` says how it ended. */
export function toStepError(
  step: Pick<StepWrite, "stepKey" | "type" | "attempts" | "error">,
): WorkflowError {
  const record: ErrorRecord = step.error ?? { name: "Error", message: "the step failed" };
  const code = CODE_BY_NAME[record.name] ?? "STEP_FAILED";
  const error = new WorkflowError(code, record.message, {
    stepKey: step.stepKey,
    attempts: step.attempts,
  });
  error.name = record.name;
  return error;
}
