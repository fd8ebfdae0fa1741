/** Abandons author code so that what it has done can be undone, as somebody asked from outside. */
import { RollbackError } from "../core/author-errors.ts";
import type { Session } from "./session-interface.ts";

/** Abandons author code if a rollback was requested and has not begun. @returns whether it did */
export function leaveToUndo({ known, asked }: Session): boolean {
  if (known.endRequested !== "rollback" || asked.isUndoing) return false;
  asked.isUndoing = true;
  asked.leave(toRollbackError());
  return true;
}

/** @param cause what author code threw meanwhile */
export const toRollbackError = (cause?: unknown): RollbackError =>
  new RollbackError("the instance was to be terminated with a rollback", { cause });
