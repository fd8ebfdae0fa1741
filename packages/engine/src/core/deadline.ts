/** Deadlines of runs: what the database's clock makes of them. */
import type { When } from "./model/change.ts";
import type { EndRequest, EpochMs, InstanceRecord } from "./model/records.ts";

type Asked = Pick<InstanceRecord, "endRequested" | "deadlineAt">;

/** What a run is asked for at an instant: by its row, or by its deadline. */
export const toEndRequestAt = (
  { endRequested, deadlineAt }: Asked,
  now: EpochMs,
): EndRequest | null =>
  endRequested ?? (deadlineAt !== null && deadlineAt <= now ? "deadline" : null);

/** When a run is due that waits: not later than its deadline, unless it was asked to end, which it knows. */
export const notAfterDeadline = (dueAt: EpochMs, { endRequested, deadlineAt }: Asked): EpochMs =>
  endRequested === null && deadlineAt !== null ? Math.min(dueAt, deadlineAt) : dueAt;

/** The deadline of a run that begins anew, or goes on after its end: the one that it had, if that is still to come. */
export const keptDeadline = (
  { deadlineAt }: Pick<InstanceRecord, "deadlineAt">,
  now: EpochMs,
): EpochMs | null => (deadlineAt !== null && deadlineAt > now ? deadlineAt : null);

/** The instant of a deadline that is given at another one. null: none is given. */
export const toDeadlineAt = (deadline: When | null | undefined, now: EpochMs): EpochMs | null => {
  if (deadline === null || deadline === undefined) return null;
  return "at" in deadline ? deadline.at : now + deadline.inMs;
};
