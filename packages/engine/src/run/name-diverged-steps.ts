/** Names what a replay shows of code that changed: in the log at once, in the instance's status with the commit. */
import {
  boundDivergedSteps,
  findDivergedSteps,
  type OpenStep,
} from "../core/history/diverged-steps.ts";
import type { Diverged } from "./diverged-steps.ts";
import type { Session } from "./session.ts";

/**
 * What the instance is to tell of its open steps, as far as it has room. Logs those that were not called; a changed type was logged
 * with its call.
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
