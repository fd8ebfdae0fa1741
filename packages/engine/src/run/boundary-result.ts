/** What became of a session's commit. */
import type { Change } from "../core/model/change.ts";
import type { CommitResult, RefusedCommit } from "../ports/commit.ts";
import type { Failed } from "../ports/create.ts";

export type Committed = Extract<CommitResult, { kind: "committed" }>;

/** Nothing was applied, and what the commit carried is pending again. */
export interface RefusedBoundary extends RefusedCommit {
  readonly changes: readonly Change[];
}

/** The database will never accept this commit. Nothing was applied, and what the commit carried is not pending any more. */
export interface FailedBoundary extends Failed {
  readonly changes: readonly Change[];
}

/** `lost`: the lease is no longer held. */
export type BoundaryResult =
  | Committed
  | RefusedBoundary
  | FailedBoundary
  | { readonly kind: "lost" };
