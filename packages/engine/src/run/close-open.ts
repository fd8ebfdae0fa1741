/** Whether a run that ends leaves anything open; what closes it is loaded when a run first does. */
import { decideAttemptInterrupted } from "../core/decide/attempt.ts";
import { toLogFields } from "../core/errors.ts";
import { late } from "../core/late.ts";
import type { RunOutcome } from "../core/model/change.ts";
import type { Diverged } from "./diverged-steps.ts";
import type { Session } from "./session.ts";

/** No body is under way or about to start, no step is without an outcome, no call undecided. */
export const isAllClosed = ({ bodies, starts, known, pending, calls }: Session): boolean =>
  bodies.count + known.openRecords.length + pending.open.length + calls.undecided.length === 0 &&
  !starts.isWaiting;

const closing = late(() => import("./close-run.ts"));

/** How long a run is left alone that this process cannot end, in milliseconds. */
const UNCLOSED_MS = 60_000;

/**
 * @returns how the run is left when the code cannot be loaded, as after a deploy that took the file away: a process that has
 *   it ends the run; null: all is closed
 */
export async function closeOpen(
  session: Session,
  diverged: Diverged,
): Promise<Extract<RunOutcome, { kind: "park" }> | null> {
  try {
    (await closing()).closeRun(session, diverged);
    return null;
  } catch (error) {
    const { context, claimed, bodies, pending } = session;
    context.logger.log("error", "run.not_closed", { ...claimed.run, ...toLogFields(error) });
    for (const started of bodies.drop("this process cannot end the run"))
      pending.add(decideAttemptInterrupted(started));
    return { kind: "park", taskKind: "retry", at: null, inMs: UNCLOSED_MS };
  }
}
