/** Runs that end before their code is asked. */
import { WorkflowError } from "../core/errors.ts";
import { CancelledError, deadlineExceeded } from "../core/author-errors.ts";
import { TOPIC_TASKS } from "../core/engine-names.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import { toRollbackError } from "./leave-to-undo.ts";
import { toTerminatedError } from "./terminated-error.ts";
import type { RunContext } from "./context.ts";

/**
 * What a run ends with that too many processes died of, that is left by its parent, or that was asked to end before it has done
 * anything; null: its code has to be asked.
 */
export function endUnbegun(
  { limits }: Pick<RunContext, "limits">,
  claimed: ClaimedRun,
): WorkflowError | null {
  const { endRequested, isFirst, settled, open, lostLeases } = claimed;
  // Messages are handed on, whatever became of it before.
  if (claimed.run.workflowName === TOPIC_TASKS) return null;
  if (lostLeases >= limits.maxLostLeases) return crashLoop(claimed);
  if (endRequested === "terminate") return toTerminatedError();
  // Of bodies that began under a lease which died, a pause takes the count away; that there was a claim before stays known.
  const mayHaveBegun = !isFirst || settled.length + open.length + lostLeases > 0;
  if (endRequested === null || mayHaveBegun) return null;
  if (endRequested === "deadline") return deadlineExceeded();
  return endRequested === "cancel" ? new CancelledError() : toRollbackError();
}

/** Whatever holds it, a process died of the run or at its side each time; nothing of it is run again. */
const crashLoop = ({ run, lostLeases }: ClaimedRun): WorkflowError =>
  new WorkflowError(
    "CRASH_LOOP",
    `${lostLeases} processes in a row died while they held the run, and none of them committed anything; ` +
      `restart the instance once the cause is found`,
    { ...run, lostLeases },
  );
