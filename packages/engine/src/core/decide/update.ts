/** Decides whether an instance's details may be changed. `stores/sql/statements/update.ts` says the same in SQL. */
import type { EpochMs, InstanceRecord } from "../model/records.ts";
import { isTerminal } from "../model/status.ts";

/** `terminal`: it has ended, and has no deadline any more. `deadlinePassed`: its deadline has passed, and the run may know it. */
export type UpdateRefusal = "terminal" | "deadlinePassed";

/**
 * Why a deadline cannot be changed; null: it can. A deadline that passed while no process held the run can still be moved, because
 * the run does not know yet. Tags and memo of any instance may be changed.
 */
export function refusalOfDeadline(
  {
    status,
    endRequested,
    deadlineAt,
  }: Pick<InstanceRecord, "status" | "endRequested" | "deadlineAt">,
  now: EpochMs,
): UpdateRefusal | null {
  if (isTerminal(status)) return "terminal";
  const isHeld = status === "running" || status === "waitingForPause";
  const isPassed = isHeld && deadlineAt !== null && deadlineAt <= now;
  return endRequested === "deadline" || (isPassed && endRequested === null)
    ? "deadlinePassed"
    : null;
}
