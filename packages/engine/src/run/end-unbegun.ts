/** Ends runs whose code need not run. */
import { WorkflowError } from "../core/errors.ts";
import { CancelledError, deadlineExceeded } from "../core/author-errors.ts";
import { TOPIC_TASKS } from "../core/engine-names.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import { toRollbackError } from "./leave-to-undo.ts";
import { toTerminatedError } from "./terminated-error.ts";
import type { RunContext } from "./context.ts";

/**
 * Returns the end of a run that too many processes died of, that its parent has left, or that was asked to end before it did
 * anything; null: its code has to run.
 */
export function endUnbegun(
  { limits }: Pick<RunContext, "limits">,
  claimed: ClaimedRun,
): WorkflowError | null {
  const { endRequested, isFirst, settled, open, lostLeases } = claimed;
  // Messages are delivered, whatever happened before.
  if (claimed.run.workflowName === TOPIC_TASKS) return null;
  if (lostLeases >= limits.maxLostLeases) return crashLoop(claimed);
  if (endRequested === "terminate") return toTerminatedError();
  // A pause clears the count of bodies that began under a dead lease, but an earlier claim is still known.
  const mayHaveBegun = !isFirst || settled.length + open.length + lostLeases > 0;
  if (endRequested === null || mayHaveBegun) return null;
  if (endRequested === "deadline") return deadlineExceeded();
  return endRequested === "cancel" ? new CancelledError() : toRollbackError();
}

/** Each time, the process that held the run died. Nothing of the run is tried again. */
const crashLoop = ({ run, lostLeases }: ClaimedRun): WorkflowError =>
  new WorkflowError(
    "CRASH_LOOP",
    `${lostLeases} processes in a row died while they held the run, and none of them committed anything; ` +
      `restart the instance once the cause is found`,
    { ...run, lostLeases },
  );
