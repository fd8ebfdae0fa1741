/** What asks for a rollback. */
import { WorkflowError } from "../core/errors.ts";
import type { JoinError } from "../core/join-error.ts";

/** The error that asks for a rollback: what was thrown, or what a branch failed with that it tells of. null: none does. */
export function findRollback(error: unknown): WorkflowError | null {
  if (!WorkflowError.is(error)) return null;
  if (error.code === "ROLLED_BACK") return error;
  if (error.code !== "JOIN_FAILED") return null;
  // One that a step's body threw comes from its row, without the errors that it was made of.
  for (const inner of Object.values((error as Partial<JoinError>).errors ?? {})) {
    const asking = findRollback(inner);
    if (asking !== null) return asking;
  }
  return null;
}
