/** Finds the error that asks for a rollback. */
import { WorkflowError } from "../core/errors.ts";
import type { JoinError } from "../core/join-error.ts";

/** The error that asks for a rollback: the thrown error, or an error of a branch in it. null: none. */
export function findRollback(error: unknown): WorkflowError | null {
  if (!WorkflowError.is(error)) return null;
  if (error.code === "ROLLED_BACK") return error;
  if (error.code !== "JOIN_FAILED") return null;
  // An error that a step's body threw comes from the step's row, without its inner errors.
  for (const inner of Object.values((error as Partial<JoinError>).errors ?? {})) {
    const asking = findRollback(inner);
    if (asking !== null) return asking;
  }
  return null;
}
