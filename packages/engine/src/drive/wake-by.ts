/** Turns every error of a platform's wake into one code. */
import { WorkflowError } from "../core/errors.ts";

/**
 * Waits for the platform's answer to a wake.
 *
 * @throws {WorkflowError} WAKE_FAILED instead of the rejection of `asking`
 */
export async function wakeBy(asking: Promise<unknown> | undefined): Promise<void> {
  try {
    await asking;
  } catch (error) {
    const message = `the wake was not taken: ${String(error)}`;
    throw WorkflowError.is(error) ? error : new WorkflowError("WAKE_FAILED", message, {}, error);
  }
}
