/** The error that names each wrong field. */
import { WorkflowError } from "../core/errors.ts";

/** The most wrong fields that an error lists. Checking stops there. */
export const MAX_ISSUES = 20;

/** One wrong field. */
export interface InputIssue {
  /** The path of the field: `body.instances.3.id`, `query.pageSize`, `header.content-type`. */
  readonly path: string;
  /** `expected` and `received` in words. Issues from the host's own schemas have only `path` and `message`. */
  readonly message: string;
  readonly expected: string;
  /** The value that was found, at most 80 characters. */
  readonly received: string;
}

/** A field that nothing reads. @param known the names that are valid there */
export const unknownField = (path: string, known: readonly string[] = []): Wrong => ({
  path,
  expected: NO_FIELD,
  received: "one",
  known,
});

const NO_FIELD = "no such field";

/** The parts of an issue. */
export interface Wrong extends Omit<InputIssue, "message"> {
  /** For an unknown field: the valid names, if they are known. */
  readonly known?: readonly string[];
}

/** The error for input with the wrong shape. */
export function invalidRequest(wrong: readonly Wrong[]): WorkflowError {
  const issues: readonly InputIssue[] = wrong.map(({ path, expected, received, known = [] }) => {
    const fields = known.length === 0 ? "" : `; expected ${known.join(", ")}`;
    const message =
      expected === NO_FIELD
        ? `unknown field${fields}`
        : `expected ${expected}, received ${received}`;
    return { path, message, expected, received };
  });
  const words = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return new WorkflowError("INVALID_REQUEST", `The request is invalid. ${words}.`, { issues });
}
