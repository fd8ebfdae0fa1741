import { WorkflowError } from "./errors.ts";

/** The error for a field that is out of range. */
export const invalidField = (field: string, expected: string): WorkflowError =>
  new WorkflowError("INVALID_REQUEST", `${field} is invalid; expected ${expected}`, {
    issues: [{ path: field, message: `expected ${expected}` }],
  });
