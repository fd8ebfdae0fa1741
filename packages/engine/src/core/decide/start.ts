/**
 * What stands for an attempt that is about to start, so that a takeover knows of it if the process dies.
 *
 * - `none`: nothing. The body starts at once; a takeover books no attempt for it.
 * - `name`: the step's key travels in the commit that precedes the body, on the row of a step which that commit settles.
 * - `row`: the step's own row says `running` before the body starts.
 *
 * Names cost no write, so they are the rule. Where nothing waits to be committed, and for the first bodies after a claim, no
 * commit is made for the sake of a body, unless one start too many would break a promise.
 */
export type AttemptRecord = "none" | "name" | "row";

export interface StartSituation {
  /** The step allows one attempt only: a second start would break its promise. Or it is the first that undoes anything. */
  readonly isAtMostOnce: boolean;
  /** The step has a row already, of an earlier attempt, or is known by name to have lost one. */
  readonly hasRow: boolean;
  /** Something was committed under this lease: what starts now is not what the claim was for. */
  readonly hasCommitted: boolean;
  /** Leases before this one died: what killed them may be about to start again. */
  readonly isTakeover: boolean;
  /** The lease may be over: another process may be about to start the body too. */
  readonly isLeaseOver: boolean;
  /** A step's result that author code has been told of is not committed yet. */
  readonly hasUncommittedResult: boolean;
  /** The same of a wait that has ended. */
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
 * How an attempt is recorded in the commit that precedes it.
 *
 * @param canCarryNames the commit settles a step: that row is never written again, so a name on it stays
 */
export function decideRecord(situation: StartSituation, canCarryNames: boolean): AttemptRecord {
  if (!needsCommitBefore(situation)) return "none";
  const { isAtMostOnce, isTakeover, hasRow } = situation;
  return isAtMostOnce || isTakeover || hasRow || !canCarryNames ? "row" : "name";
}
