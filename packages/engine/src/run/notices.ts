/** Notices that the parts of an engine give when something has happened. Listeners get the events that follow from them. */
import type { Change, RunOutcome, StepWrite } from "../core/model/change.ts";
import type { DurationMs, EpochMs, ErrorRecord, RunRef } from "../core/model/records.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { CommitResult } from "../ports/commit.ts";
import type { TickOutput } from "../ports/tick.ts";
import type { SessionEnd } from "./session-end.ts";

/** An attempt that threw, timed out or returned something that cannot be stored. */
export interface AttemptFailed {
  readonly step: StepWrite;
  readonly error: ErrorRecord;
  /** The database's time of the last answer. */
  readonly now: EpochMs;
}

/** A commit of a run was applied. */
export interface CommittedNotice {
  readonly kind: "committed";
  readonly claimed: ClaimedRun;
  readonly changes: readonly Change[];
  readonly outcome: RunOutcome;
  readonly result: Extract<CommitResult, { kind: "committed" }>;
  /** Attempts that failed before the commit. The commit itself may carry a later state of their steps. */
  readonly failed: readonly AttemptFailed[];
}

export type Notice =
  | CommittedNotice
  | { readonly kind: "created"; readonly run: RunRef; readonly at: EpochMs }
  | { readonly kind: "terminated"; readonly run: RunRef; readonly at: EpochMs }
  | { readonly kind: "opened"; readonly claimed: ClaimedRun; readonly now: EpochMs }
  | { readonly kind: "left"; readonly claimed: ClaimedRun; readonly end: SessionEnd["kind"] }
  | {
      readonly kind: "began";
      readonly claimed: ClaimedRun;
      readonly step: StepWrite;
      readonly now: EpochMs;
    }
  | {
      readonly kind: "claimed";
      readonly limit: number;
      readonly runCount: number;
      readonly now: EpochMs;
    }
  | { readonly kind: "tickBegun" }
  | {
      readonly kind: "tickEnded";
      readonly output: TickOutput | null;
      readonly elapsedMs: DurationMs;
    };
