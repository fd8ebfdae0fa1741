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

/** What a body has, and nothing reads. @param known the fields that are read in its place */
export const unknownField = (path: string, known: readonly string[] = []): Wrong => ({
  path,
  expected: NO_FIELD,
  received: "one",
  known,
});

const NO_FIELD = "no such field";

/** What is told of a wrong field. */
export interface Wrong extends Omit<InputIssue, "message"> {
  /** Of one that is unknown: those that there are, if that can be said. */
  readonly known?: readonly string[];
}

/** The error for input of the wrong shape. */
export function invalidRequest(wrong: readonly Wrong[]): WorkflowError {
  const issues: readonly InputIssue[] = wrong.map(({ path, expected, received, known = [] }) => {
    const fields = known.length === 0 ? "" : `, there is ${known.join(", ")}`;
    const message =
      expected === NO_FIELD
        ? `unknown field${fields}`
        : `expected ${expected}, received ${received}`;
    return { path, message, expected, received };
  });
  const words = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return new WorkflowError("INVALID_REQUEST", `The request is invalid. ${words}.`, { issues });
}
