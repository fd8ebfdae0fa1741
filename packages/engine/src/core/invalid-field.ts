import { WorkflowError } from "./errors.ts";

/** The error of a field out of its range. */
export const invalidField = (field: string, expected: string): WorkflowError =>
  new WorkflowError("INVALID_REQUEST", `${field} is invalid; expected ${expected}`, {
    issues: [{ path: field, message: `expected ${expected}` }],
  });
