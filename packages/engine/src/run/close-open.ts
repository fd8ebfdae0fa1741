/** Whether a run that ends leaves anything open; what closes it is loaded when a run first does. */
import { toLogFields } from "../core/errors.ts";
import type { RunOutcome } from "../core/model/change.ts";
import type { Diverged } from "./diverged-steps.ts";
import { otherOutcomes, tellingParent } from "./late-code.ts";
import { loseBodies } from "./lose-bodies.ts";
import { MissingCode } from "./missing-code.ts";
import type { Session } from "./session.ts";
import type { Ending } from "./session-end.ts";

/** No body is under way or about to start, no step is without an outcome, no call undecided. */
const isAllClosed = ({ bodies, starts, known, pending, calls }: Session): boolean =>
  bodies.count + known.openRecords.length + pending.open.length + calls.undecided.length === 0 &&
  !starts.isWaiting;

type Left = Extract<RunOutcome, { kind: "park" }>;

/** @returns how the run is left if this process has not the code to end it; null: all is closed */
export async function closeOpen(
  session: Session,
  diverged: Diverged,
  ending: Ending,
): Promise<Left | null> {
  const error = ending.kind === "fail" ? ending.error : null;
  if (MissingCode.is(error)) return leaveRun(session, error.cause);
  try {
    if (ending.kind === "fail" || session.known.endRequested !== null) await otherOutcomes();
    if (session.claimed.parent !== null) await tellingParent();
    if (isAllClosed(session)) return null;
    // It decides once more what was called last.
    (await otherOutcomes()).closeRun(session, diverged);
    return null;
  } catch (failure) {
    return leaveRun(session, failure);
  }
}

/** How long a run is left alone that this process cannot end, in milliseconds. */
const LEFT_ALONE_MS = 60_000;

/** As after a deploy that took a file away: a process that has it ends the run. */
function leaveRun(session: Session, error: unknown): Left {
  const { context, claimed } = session;
  context.logger.log("error", "run.not_closed", { ...claimed.run, ...toLogFields(error) });
  loseBodies(session, "this process cannot end the run");
  return { kind: "park", taskKind: "retry", at: null, inMs: LEFT_ALONE_MS };
}
