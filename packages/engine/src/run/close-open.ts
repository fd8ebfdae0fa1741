/** Checks whether a run that ends leaves anything open. The code that closes it is loaded when that first happens. */
import { toLogFields } from "../core/errors.ts";
import type { RunOutcome } from "../core/model/change.ts";
import type { Diverged } from "./diverged-steps.ts";
import { otherOutcomes, parentNotices } from "./late-code.ts";
import { MissingCode } from "./missing-code.ts";
import type { Session } from "./session-interface.ts";
import type { Ending } from "./session-end.ts";

/** Whether no body runs or is about to start, every step has an outcome, and no call is undecided. */
const isAllClosed = ({ bodies, starts, known, pending, calls }: Session): boolean =>
  bodies.count + known.openRecords.length + pending.open.length + calls.undecided.length === 0 &&
  !starts.isWaiting;

type Left = Extract<RunOutcome, { kind: "park" }>;

/** @returns how the run is left if this process does not have the code to end it; null: everything is closed */
export async function closeOpen(
  session: Session,
  diverged: Diverged,
  ending: Ending,
): Promise<Left | null> {
  const error = ending.kind === "fail" ? ending.error : null;
  if (MissingCode.is(error)) return leaveRun(session, error.cause);
  try {
    if (ending.kind === "fail" || session.known.endRequested !== null) await otherOutcomes();
    if (session.claimed.parent !== null) await parentNotices();
    if (isAllClosed(session)) return null;
    // This decides once more about the last calls.
    (await otherOutcomes()).closeRun(session, diverged);
    return null;
  } catch (failure) {
    return leaveRun(session, failure);
  }
}

/** How long a run that this process cannot end is left alone, in milliseconds. */
const LEFT_ALONE_MS = 60_000;

/** A code file is missing, for example because a deploy removed it. A process that has the file ends the run. */
function leaveRun(session: Session, error: unknown): Left {
  const { context, claimed, bodies, pending } = session;
  context.logger.log("error", "run.not_closed", { ...claimed.run, ...toLogFields(error) });
  // A row that says `running` when the next claim comes is of a lost attempt.
  for (const started of bodies.drop("this process cannot end the run")) pending.add(started);
  return { kind: "park", taskKind: "retry", at: null, inMs: LEFT_ALONE_MS };
}
