/** Ends a run whose commit the database will never accept. Loaded when that first happens. */
import type { EndOutcome, RunRetried, StepWrite } from "../core/model/change.ts";
import { closeRefused, releaseRefused } from "./close-run.ts";
import type { BoundaryResult, FailedBoundary } from "./boundary-result.ts";
import type { CommitBoundary } from "./commit-boundary.ts";
import type { Session } from "./session-interface.ts";

export interface RefusedEnd {
  readonly outcome: EndOutcome | RunRetried;
  /** The attempts of bodies that were abandoned. */
  readonly running: readonly StepWrite[];
  /** The commit that was refused. */
  readonly failed: FailedBoundary;
}

/** Commits the run's end, with what it leaves behind. */
export async function endRefused(
  session: Session,
  boundary: CommitBoundary,
  { outcome, running, failed }: RefusedEnd,
): Promise<BoundaryResult> {
  closeRefused(session, running, failed.changes);
  const result = await boundary.commit(outcome);
  if (result.kind !== "failed") return result;
  // What is closed may be what the database refuses. The run ends, and its children are left, without it.
  releaseRefused(session, result.changes);
  return boundary.commit(outcome);
}
