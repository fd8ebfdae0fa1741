/** The error for an option that cannot work. */
import { WorkflowError } from "../core/errors.ts";

export function invalidOption(path: string, expected: string): WorkflowError {
  return new WorkflowError("DEPLOY_OPTIONS_INVALID", `Option ${path} must be ${expected}.`, {
    path,
    expected,
  });
}
