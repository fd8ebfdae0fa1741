/** Standard output, and whether it accepted what was printed. */
import { setImmediate } from "node:timers/promises";
import { RefusedError } from "./errors.ts";

let failure: NodeJS.ErrnoException | null = null;

/** Keeps its first error for `flushOutput`. */
export function keepOutputError(): void {
  process.stdout.on("error", (error) => (failure ??= error));
}

/**
 * Waits until everything that was printed has been accepted. A reader that leaves, as `head` does, is not a failure.
 *
 * @throws {RefusedError} with the system's code, such as ENOSPC if a disk is full
 */
export async function flushOutput(): Promise<void> {
  await new Promise((resolve) => process.stdout.write("", resolve));
  // The error event may come after the call that caused it.
  await setImmediate();
  if (failure !== null && failure.code !== "EPIPE")
    throw new RefusedError(failure.code ?? "OUTPUT_FAILED", `standard output: ${failure.message}`);
}
