/** One code for wakes that could not be asked for, whatever a platform fails by. */
import { WorkflowError } from "../core/errors.ts";

/**
 * Waits for the platform's answer to a wake.
 *
 * @throws {WorkflowError} WAKE_FAILED in place of what `asking` rejects with
 */
export async function asWake(asking: Promise<unknown> | undefined): Promise<void> {
  try {
    await asking;
  } catch (error) {
    const message = `the wake was not taken: ${String(error)}`;
    throw WorkflowError.is(error) ? error : new WorkflowError("WAKE_FAILED", message, {}, error);
  }
}
