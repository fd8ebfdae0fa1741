/**
 * How an attempt that is about to start is recorded, so that a takeover knows of it if the process dies.
 *
 * - `none`: not at all. The body starts at once, and a takeover counts no attempt for it.
 * - `name`: the step's key is written in the commit before the body, on the row of a step that this commit settles.
 * - `row`: the step's own row says `running` before the body starts.
 *
 * Names cost no write, so they are the rule. If no commit is pending, and for the first bodies after a claim, no commit is made just
 * for a body, unless one start too many would break a promise.
 */
export type AttemptRecord = "none" | "name" | "row";

export interface StartSituation {
  /** The step allows one attempt only: a second start would break its promise. Or it is the first that undoes anything. */
  readonly isAtMostOnce: boolean;
  /** The step already has a row from an earlier attempt, or is known by name to have lost one. */
  readonly hasRow: boolean;
  /** Something was committed under this lease, so the claim alone does not account for what starts now. */
  readonly hasCommitted: boolean;
  /** Leases before this one were lost. What killed their processes may be about to start again. */
  readonly isTakeover: boolean;
  /** The lease may have ended, so another process may be about to start the body too. */
  readonly isLeaseOver: boolean;
  /** Author code has been given a step's result that is not committed yet. */
  readonly hasUncommittedResult: boolean;
  /** Author code has been given the end of a wait that is not committed yet. */
  readonly hasUncommittedWait: boolean;
}

/** Whether a commit must precede the body. */
export const needsCommitBefore = (situation: StartSituation): boolean =>
  situation.isAtMostOnce ||
  situation.isTakeover ||
  situation.isLeaseOver ||
  situation.hasUncommittedResult ||
  (situation.hasCommitted && (situation.hasRow || situation.hasUncommittedWait));

/**
 * Decides how an attempt is recorded in the commit before it.
 *
 * @param canCarryNames the commit settles a step; that row is never written again, so a name on it stays
 */
export function decideRecord(situation: StartSituation, canCarryNames: boolean): AttemptRecord {
  if (!needsCommitBefore(situation)) return "none";
  const { isAtMostOnce, isTakeover, hasRow } = situation;
  return isAtMostOnce || isTakeover || hasRow || !canCarryNames ? "row" : "name";
}
