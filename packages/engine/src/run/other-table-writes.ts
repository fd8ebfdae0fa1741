/**
 * Where a session lets writes of other tables into its boundaries. Only types: what is behind them, `with-other-tables/`,
 * is passed in by those who need it, so that a function without such writes does not load it.
 */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { OtherTableWrites, StepWrite } from "../core/model/change.ts";
import type { EventRecord, Settlement } from "../core/model/records.ts";
import type { Call } from "./call.ts";
import type { CommitBoundaryParts, Committed, RefusedBoundary } from "./commit-boundary.ts";
import type { DoBody } from "./do-step.ts";
import type { Carry } from "./pending-changes.ts";
import type { ReplayOrder } from "./replay-order.ts";
import type { Bodies } from "./bodies.ts";

/** An option of an engine: lets steps write into other tables. Made by `transactSteps`. */
export interface StepTransactions {
  /** Called once for each session, when it begins. */
  readonly open: (session: TransactionSession) => SessionTransactions;
}

/** What the writes of other tables may ask of their session. */
export interface TransactionSession extends Omit<CommitBoundaryParts, "followed" | "budget"> {
  readonly order: ReplayOrder;
  settle(settling: Settling): void;
  tell(settling: Settling, step: StepWrite & Settlement): void;
  readonly bodies: Bodies;
  bodyEnded(stepKey: string): void;
  /** Something is to be done: the session looks at its state. */
  schedule(): void;
  warn(event: string, fields: Readonly<Record<string, unknown>>): void;
}

/** A step that is about to be settled. */
export interface Settling {
  readonly call: Call;
  readonly step: StepWrite;
  /** The event that a wait consumes with this. */
  readonly event?: EventRecord | undefined;
  /** The events that a `receive` consumes with this. */
  readonly batch?: readonly EventRecord[] | undefined;
  /** The message that an `emit` is, or the entry that a `progress` is. */
  readonly carry?: Carry | undefined;
  /** Ends the attempt with an error instead. */
  readonly fail?: ((error: unknown) => void) | undefined;
}

/** The writes of other tables of one session. */
export interface SessionTransactions {
  /** A call is opened; its options may name callbacks. */
  readonly expect: (workflow: RegisteredWorkflow, stepKey: string, options: object) => void;
  /** The body of an attempt, with a transaction. */
  readonly toBody: (body: DoBody) => DoBody;
  /** Takes over a step that has writes of other tables: it is settled by a boundary of its own. False: it has none. */
  readonly take: (settling: Settling) => boolean;
  /** The step is not to be settled after all. False: a commit with it is under way. */
  readonly drop: (stepKey: string) => boolean;
  /** A boundary is wanted now. */
  readonly isWaiting: boolean;
  /** A boundary begins: notes what is to be settled in it; empty: nothing is. */
  readonly begin: () => readonly OtherTableWrites[];
  /** The boundary has ended: its steps are settled or failed. */
  readonly finish: (result: Committed | RefusedBoundary) => void;
}
