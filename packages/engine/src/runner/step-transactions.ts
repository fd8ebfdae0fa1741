/**
 * Where a session lets writes of other tables into its boundaries. Only types: what is behind them, `transactions/`, is
 * passed in by those who need it, so that a function without such writes does not load it.
 */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { WorkflowStep } from "../authoring/step.ts";
import type { ForeignWrite, StepWrite } from "../core/model/change.ts";
import type { EventRecord } from "../core/model/records.ts";
import type { Call } from "./call.ts";
import type { Committed, RefusedBoundary } from "./ledger.ts";
import type { Session } from "./session.ts";

/** An option of an engine: lets steps write into other tables. Made by `createStepTransactions`. */
export interface StepTransactions {
  /** Called once for each session, when it begins. */
  readonly open: (session: Session) => SessionTransactions;
}

/** A step that is about to be settled. */
export interface Settling {
  readonly call: Call;
  readonly step: StepWrite;
  /** The event that a wait consumes with this. */
  readonly event?: EventRecord;
  /** Ends the attempt with an error instead. */
  readonly fail?: (error: unknown) => void;
}

/** The foreign writes of one session. */
export interface SessionTransactions {
  /** The steps as workflow code sees them, with transactions for their callbacks. */
  readonly wrap: (steps: WorkflowStep, workflow: RegisteredWorkflow) => WorkflowStep;
  /** Takes over a step that has foreign writes: it is settled by a boundary of its own. False: it has none. */
  readonly take: (settling: Settling) => boolean;
  /** A boundary is wanted now. */
  readonly isWaiting: boolean;
  /** A boundary begins: notes what is to be settled in it; empty: nothing is. */
  readonly board: () => readonly ForeignWrite[];
  /** The boundary has ended: those aboard are settled or failed. */
  readonly land: (result: Committed | RefusedBoundary) => void;
}
