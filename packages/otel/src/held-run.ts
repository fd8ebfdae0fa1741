/** What is known of a run while this process holds it. */
import type { Span } from "@opentelemetry/api";
import type { ClaimedRun } from "@escapement/engine/internal";

export interface HeldRun {
  readonly run: ClaimedRun["run"];
  readonly span: Span;
  /** Of an attempt that is under way; of the run, where none is. */
  spanOf(stepKey: unknown): Span;
}

/** @param isRemembered the next time that this process holds the run is linked to this one */
export type LeaveRun = (run: HeldRun, isRemembered: boolean) => void;
