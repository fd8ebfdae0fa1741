/** Standard output, and whether what was printed was taken. */
import { setImmediate } from "node:timers/promises";
import { RefusedError } from "./errors.ts";

let failure: NodeJS.ErrnoException | null = null;

/** Keeps the first error that it has, for `flushOutput`. */
export function keepOutputError(): void {
  process.stdout.on("error", (error) => (failure ??= error));
}

/**
 * Waits until all that was printed is taken. A reader that leaves, as `head` does, is no failure.
 *
 * @throws {RefusedError} with the system's code — as ENOSPC, where a disk is full
 */
export async function flushOutput(): Promise<void> {
  await new Promise((resolve) => process.stdout.write("", resolve));
  // The event of an error may come behind the call that it is about.
  await setImmediate();
  if (failure !== null && failure.code !== "EPIPE")
    throw new RefusedError(failure.code ?? "OUTPUT_FAILED", `standard output: ${failure.message}`);
}
