/** Errors for features that are used without their option. */
import { WorkflowError } from "./errors.ts";

/** The error for callbacks that are not configured. */
export const callbackDisabled = (): WorkflowError =>
  new WorkflowError(
    "CALLBACK_DISABLED",
    "callbacks are not enabled; pass callbacks: { signingKeys, url } to createEngine",
  );

/** The error for bulk jobs that are not enabled. */
export const bulkDisabled = (): WorkflowError =>
  new WorkflowError(
    "BULK_DISABLED",
    "bulk jobs are not enabled; pass bulk: true to createEngine in every process that runs workflows",
  );
