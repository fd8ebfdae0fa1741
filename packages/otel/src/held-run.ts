/** The telemetry of a run while this process holds it. */
import type { Span } from "@opentelemetry/api";
import type { ClaimedRun } from "@escapement/engine/internal";

export interface HeldRun {
  readonly run: ClaimedRun["run"];
  readonly span: Span;
  /** The span of an attempt that is under way; without one, that of the run. */
  spanOf(stepKey: unknown): Span;
}

/** @param isRemembered when this process next holds the run, it links to this time */
export type LeaveRun = (run: HeldRun, isRemembered: boolean) => void;
