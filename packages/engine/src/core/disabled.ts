/** Errors for features that are used without their option. */
import { WorkflowError } from "./errors.ts";

/** The error for callbacks that are not configured. */
export const callbackDisabled = (): WorkflowError =>
  new WorkflowError(
    "CALLBACK_DISABLED",
    "the engine makes and takes no callbacks; give createEngine callbacks: { signingKeys, url }",
  );

/** The error for bulk jobs that are not enabled. */
export const bulkDisabled = (): WorkflowError =>
  new WorkflowError(
    "BULK_DISABLED",
    "the engine runs no bulk jobs; give createEngine bulk: true, in every process that runs workflows",
  );
