/**
 * The hooks by which writes to other tables take part in the boundaries of a session. Only types: the implementation in
 * `with-other-tables/` is passed in by those who need it, so that a function without such writes does not load it.
 */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { OtherTableWrites, StepWrite } from "../core/model/change.ts";
import type { EventRecord, Settlement } from "../core/model/records.ts";
import type { Call } from "./call.ts";
import type { Host } from "../ports/host.ts";
import type { ClaimedRun } from "../ports/claim.ts";
import type { DoBody } from "./body.ts";
import type { Committed, RefusedBoundary } from "./boundary-result.ts";
import type { KnownRun } from "./known-run.ts";
import type { Carry, PendingChanges } from "./pending-changes.ts";
import type { ReplayOrder } from "./replay-order.ts";
import type { Bodies } from "./bodies.ts";
import type { RedactError } from "./step-error.ts";

/** The engine option that lets steps write to other tables. Made by `transactSteps`. */
export interface StepTransactions {
  /** Called once for each session, when it begins. */
  readonly open: (session: TransactionSession) => SessionTransactions;
}

/** What the writes of other tables may ask of their session. */
export interface TransactionSession {
  /** What they need of `RunContext`. */
  readonly context: {
    readonly host: Host;
    readonly namespace: string;
    readonly redactError: RedactError | null;
  };
  readonly claimed: ClaimedRun;
  readonly known: KnownRun;
  readonly pending: PendingChanges;
  readonly order: ReplayOrder;
  /** Records the outcome of a step and tells its call. If the step writes to other tables, it is committed first. */
  settle(settling: Settling): void;
  /** Tells a call the outcome of its step, in its turn. */
  tell(settling: Pick<Settling, "call">, step: StepWrite & Settlement): void;
  readonly bodies: Bodies;
  bodyEnded(stepKey: string): void;
  /** Schedules the next action: an outcome to tell author code, or a decision when author code has gone as far as it can. */
  schedule(): void;
  /** Logs a warning about the run. */
  warn(event: string, fields: Readonly<Record<string, unknown>>): void;
}

/** A step that is about to be settled. */
export interface Settling {
  readonly call: Call;
  readonly step: StepWrite;
  /** The event that the wait consumes. */
  readonly event?: EventRecord | undefined;
  /** The events that the `receive` consumes. */
  readonly batch?: readonly EventRecord[] | undefined;
  /** Adds the message of an `emit`, or the entry of a `progress`. */
  readonly carry?: Carry | undefined;
  /** Ends the attempt with an error instead. */
  readonly fail?: ((error: unknown) => void) | undefined;
}

/** The writes of one session to other tables. */
export interface SessionTransactions {
  /** A call is opened; its options may name callbacks. */
  readonly expect: (workflow: RegisteredWorkflow, stepKey: string, options: object) => void;
  /** The body of an attempt, with a transaction. */
  readonly toBody: (body: DoBody) => DoBody;
  /** Takes over a step that writes to other tables: a boundary of its own settles it. False: it has no such writes. */
  readonly take: (settling: Settling) => boolean;
  /** Drops a step that is not to be settled after all. False: its commit is under way. */
  readonly drop: (stepKey: string) => boolean;
  /** A boundary is wanted now. */
  readonly isWaiting: boolean;
  /** Called when a boundary begins. Returns what it is to settle; empty: nothing. */
  readonly begin: () => readonly OtherTableWrites[];
  /** Called when the boundary has ended, with its steps settled or failed. */
  readonly finish: (result: Committed | RefusedBoundary) => void;
}
