/** The error that names each wrong field. */
import { WorkflowError } from "../core/errors.ts";

/** Wrong fields told of, at most; nothing is looked at beyond them. */
export const MAX_ISSUES = 20;

/** One wrong field. */
export interface InputIssue {
  /** Where: `body.instances.3.id`, `query.pageSize`, `header.content-type`. */
  readonly path: string;
  /** Both of the below in words; issues of the host's own schemas have only `path` and `message`. */
  readonly message: string;
  readonly expected: string;
  /** What was there instead, at most 80 characters. */
  readonly received: string;
}

/** What a body has, and nothing reads. */
export const unknownField = (path: string): Omit<InputIssue, "message"> => ({
  path,
  expected: NO_FIELD,
  received: "one",
});

const NO_FIELD = "no such field";

/** The error for input of the wrong shape. */
export function invalidRequest(wrong: readonly Omit<InputIssue, "message">[]): WorkflowError {
  const issues: readonly InputIssue[] = wrong.map(({ path, expected, received }) => {
    const message =
      expected === NO_FIELD ? "unknown field" : `expected ${expected}, received ${received}`;
    return { path, message, expected, received };
  });
  const words = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return new WorkflowError("INVALID_REQUEST", `The request is invalid. ${words}.`, { issues });
}
