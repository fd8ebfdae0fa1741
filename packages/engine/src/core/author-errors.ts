/** Errors that author code throws to end its run, or that it gets because the run is to end. */
import { type ErrorDetails, WorkflowError } from "./errors.ts";

/**
 * Throw it in a step to fail without retries: `throw new NonRetryableError("the card was declined")`. If you do not catch it, the
 * instance fails.
 *
 * @source founding spec 000 §6.4
 */
export class NonRetryableError extends WorkflowError {
  constructor(message: string, name = "NonRetryableError") {
    super("NON_RETRYABLE", message);
    this.name = name;
  }
}

/**
 * Throw it in a step or outside to undo what the run has done, with the `undo` of each completed step, the last one first: `throw new
 * RollbackError("no car left")`. The run then fails with this error.
 *
 * @source founding document 003
 */
export class RollbackError extends WorkflowError {
  constructor(message = "the run was rolled back", options: { readonly cause?: unknown } = {}) {
    super("ROLLED_BACK", message, {}, options.cause);
    this.name = "RollbackError";
  }
}

/**
 * Steps throw it when the instance was cancelled. Clean up with shielded steps, for example in a `finally`: `await
 * step.shielded.do("release", release)`. However your code ends then, the instance is `terminated`.
 */
export class CancelledError extends WorkflowError {
  constructor(message = "the instance was cancelled", details: ErrorDetails = {}) {
    super("CANCELLED", message, details);
    this.name = "CancelledError";
  }
}

/** The error of a run whose deadline has passed. */
export const deadlineExceeded = (): WorkflowError =>
  new WorkflowError("DEADLINE_EXCEEDED", "the run's deadline has passed");
