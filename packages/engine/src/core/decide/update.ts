/** Decides whether an instance's details may be changed. `stores/sql/statements/update.ts` says the same in SQL. */
import type { EpochMs, InstanceRecord } from "../model/records.ts";
import { isTerminal } from "../model/status.ts";
import { type Conditions, mismatchOf } from "./demand.ts";

/** `terminal`: it has ended, and has no deadline any more. `deadlinePassed`: its deadline has passed, and the run may know it. */
export type UpdateRefusal = "terminal" | "deadlinePassed";

type Updated = Pick<InstanceRecord, "runNumber" | "status" | "endRequested" | "deadlineAt">;

/** Why an instance is not changed; null: it is. Tags and memo of any instance may be changed. */
export const refusalOfUpdate = (
  before: Updated,
  { facts, ...conditions }: Conditions & { readonly facts: { readonly deadline?: unknown } },
  now: EpochMs,
): NonNullable<ReturnType<typeof mismatchOf>> | UpdateRefusal | null =>
  mismatchOf(before, conditions) ??
  (facts.deadline === undefined ? null : refusalOfDeadline(before, now));

/** A deadline that passed while no process held the run can still be moved, because the run does not know yet. */
function refusalOfDeadline(
  { status, endRequested, deadlineAt }: Updated,
  now: EpochMs,
): UpdateRefusal | null {
  if (isTerminal(status)) return "terminal";
  const isHeld = status === "running" || status === "waitingForPause";
  const isPassed = isHeld && deadlineAt !== null && deadlineAt <= now;
  return endRequested === "deadline" || (isPassed && endRequested === null)
    ? "deadlinePassed"
    : null;
}
