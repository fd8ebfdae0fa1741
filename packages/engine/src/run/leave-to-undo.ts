/** Author code is left so that what it has done is undone, as it was asked from outside. */
import { RollbackError } from "../core/author-errors.ts";
import type { Session } from "./session.ts";

/** Leaves author code if what it has done is to be undone, and nobody has begun to. @returns whether it is left */
export function leaveToUndo({ known, asked }: Session): boolean {
  if (known.endRequested !== "rollback" || asked.isUndoing) return false;
  asked.isUndoing = true;
  asked.leave(toRollbackError());
  return true;
}

/** @param cause what author code ended with meanwhile */
export const toRollbackError = (cause?: unknown): RollbackError =>
  new RollbackError("the instance was to be terminated with a rollback", { cause });
