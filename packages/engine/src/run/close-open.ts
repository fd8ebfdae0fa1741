/** Whether a run that ends leaves anything open; what closes it is loaded when a run first does. */
import { toLogFields } from "../core/errors.ts";
import { late } from "../core/late.ts";
import type { Diverged } from "./diverged-steps.ts";
import type { Session } from "./session.ts";

/** No body is under way or about to start, no step is without an outcome, no call undecided. */
export const isAllClosed = ({ bodies, starts, known, pending, calls }: Session): boolean =>
  bodies.count + known.openRecords.length + pending.open.length + calls.undecided.length === 0 &&
  !starts.isWaiting;

const closing = late(() => import("./close-run.ts"));

/** @returns false when its code cannot be loaded, as after a deploy that took the file away: another process ends the run */
export async function closeOpen(session: Session, diverged: Diverged): Promise<boolean> {
  try {
    (await closing()).closeRun(session, diverged);
    return true;
  } catch (error) {
    session.warn("run.not_closed", toLogFields(error));
    return false;
  }
}
