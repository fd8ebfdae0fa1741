/** The error for commits that the database will never accept. */
import { WorkflowError } from "../core/errors.ts";
import type { ClaimedRun } from "../ports/claim.ts";

/** The error of a run whose commit the database will never accept. */
export const refusedError = ({ run }: ClaimedRun, cause: unknown): WorkflowError =>
  new WorkflowError(
    "COMMIT_REFUSED",
    `the database refuses to store the run's changes: ${String(cause)}`,
    { ...run },
    cause,
  );
