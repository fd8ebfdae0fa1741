/** Errors of what is used without its option. */
import { WorkflowError } from "./errors.ts";

/** The error of callbacks that nobody has configured. */
export const callbackDisabled = (): WorkflowError =>
  new WorkflowError(
    "CALLBACK_DISABLED",
    "the engine makes and takes no callbacks; give createEngine callbacks: { signingKeys, url }",
  );

/** The error of bulk jobs that nobody has asked for. */
export const bulkDisabled = (): WorkflowError =>
  new WorkflowError(
    "BULK_DISABLED",
    "the engine runs no bulk jobs; give createEngine bulk: true, in every process that runs workflows",
  );
