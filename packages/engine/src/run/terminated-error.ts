/** The error of a run that is ended together with its parent. */
import { CancelledError } from "../core/author-errors.ts";

export const toTerminatedError = (): CancelledError =>
  new CancelledError("the instance was to end with its parent");
