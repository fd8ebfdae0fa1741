/** The engine's errors in Fragno's form, so that a route of any fragment answers with their code and status. */
import { FragnoApiError } from "@fragno-dev/core/api";
import { type ErrorDetails, statusOf, toErrorResponse } from "@escapement/engine/internal";
import { WorkflowError } from "@escapement/engine";

// `WorkflowError.is` recognises errors by this brand, so callers need not know which of the two classes it was.
const BRAND = Symbol.for("@escapement/engine/WorkflowError");

type StatusCode = ConstructorParameters<typeof FragnoApiError>[1];

/** A WorkflowError that Fragno's routes answer correctly: `WorkflowError.is(error)` is true, and `error.code` is its code. */
export class WorkflowApiError extends FragnoApiError {
  override readonly name = "WorkflowError";
  readonly details: ErrorDetails;
  readonly retryable: boolean;
  /** The page that explains the code. */
  readonly docs: string;
  readonly #error: WorkflowError;

  constructor(error: WorkflowError) {
    super({ message: error.message, code: error.code }, statusOf(error.code) as StatusCode);
    this.details = error.details;
    this.retryable = error.retryable;
    this.docs = error.docs;
    this.cause = error.cause;
    this.#error = error;
    Object.defineProperty(this, BRAND, { value: true });
  }

  override toResponse(): Response {
    return toErrorResponse(this.#error);
  }
}

/** Runs `work`, and converts a WorkflowError to Fragno's form. */
export function inFragnosForm<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof WorkflowError ? new WorkflowApiError(error) : error;
  }
}
