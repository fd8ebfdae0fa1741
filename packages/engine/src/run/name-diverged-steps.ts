/** Names steps on which changed code and history disagree: in the log at once, and in the instance's status with the commit. */
import {
  boundDivergedSteps,
  findDivergedSteps,
  type OpenStep,
} from "../core/history/diverged-steps.ts";
import type { Diverged } from "./diverged-steps.ts";
import type { Session } from "./session-interface.ts";

/**
 * Returns the open steps that the instance's status is to name, as far as there is room. Logs those that were not called; a
 * changed type was logged with its call.
 */
export function nameDivergedSteps(
  session: Session,
  open: readonly OpenStep[],
  isCalled: (stepKey: string) => boolean,
): Diverged {
  const diverged = findDivergedSteps(open, isCalled);
  session.warnUncalled(diverged.filter(({ kind }) => kind === "notCalled"));
  return boundDivergedSteps(diverged);
}
