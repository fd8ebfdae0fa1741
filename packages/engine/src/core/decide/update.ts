/** Whether what is said of an instance may be changed. `stores/sql/statements/update.ts` says the same in SQL. */
import type { EpochMs, InstanceRecord } from "../model/records.ts";
import { isTerminal } from "../model/status.ts";

/** `terminal`: it has ended, and has no deadline any more. `deadlinePassed`: its deadline has, and it may have been told. */
export type UpdateRefusal = "terminal" | "deadlinePassed";

/**
 * Why a deadline is not changed; null: it is. Nobody was told of one that passed while no process held the run: it may still be
 * moved. Tags and memo may be changed of any instance.
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
