/** Deadlines of runs, compared with the database's clock. */
import type { When } from "./model/change.ts";
import type { EndRequest, EpochMs, InstanceRecord } from "./model/records.ts";

type Asked = Pick<InstanceRecord, "endRequested" | "deadlineAt">;

/** The end request that applies to a run at an instant: the one in its row, or its deadline. */
export const toEndRequestAt = (
  { endRequested, deadlineAt }: Asked,
  now: EpochMs,
): EndRequest | null =>
  endRequested ?? (deadlineAt !== null && deadlineAt <= now ? "deadline" : null);

/** When a waiting run is due: at its deadline at the latest, unless it was already asked to end. */
export const notAfterDeadline = (dueAt: EpochMs, { endRequested, deadlineAt }: Asked): EpochMs =>
  endRequested === null && deadlineAt !== null ? Math.min(dueAt, deadlineAt) : dueAt;

/** The deadline of a run that begins again or continues after its end: its earlier deadline, if that is still to come. */
export const keptDeadline = (
  { deadlineAt }: Pick<InstanceRecord, "deadlineAt">,
  now: EpochMs,
): EpochMs | null => (deadlineAt !== null && deadlineAt > now ? deadlineAt : null);

/** Turns a deadline, absolute or relative to `now`, into an instant. null: no deadline is given. */
export const toDeadlineAt = (deadline: When | null | undefined, now: EpochMs): EpochMs | null => {
  if (deadline === null || deadline === undefined) return null;
  return "at" in deadline ? deadline.at : now + deadline.inMs;
};
