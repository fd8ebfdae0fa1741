/** Claims runs: what a store is asked, and what it answers. */
import type {
  DurationMs,
  EndRequest,
  EpochMs,
  EventRecord,
  JsonText,
  Lease,
  ParentRef,
  RunRef,
  SettledStep,
  StepRecord,
} from "../core/model/records.ts";

/** The lease that a call takes on a run that it finds due or makes due. */
export interface ClaimTicket {
  /** The beginning of the leases' tokens; never used before. */
  readonly token: string;
  readonly leaseMs: DurationMs;
}

/** The lease that a call takes on a run that it has itself made due. */
export interface CallTicket extends ClaimTicket {
  /** Workflows for which the answer says what is due next, as a claim does. @default none */
  readonly looksFor?: readonly string[];
}

/** When the next work is due, as a claim saw it. */
export interface NextDue {
  /** Database time of the claim. */
  readonly now: EpochMs;
  /**
   * When the earliest task of the named workflows that is still claimable comes due, or when the earliest of their leases ends
   * (except those of this claim). It may be in the past. If the claim found as many runs as it asked for, it is the time of the
   * claim, because more may be due.
   */
  readonly nextWakeAt: EpochMs | null;
  /** Like `nextWakeAt`, but without the ends of leases. Those move as long as their holders live, so no process waits for one. */
  readonly nextDueAt: EpochMs | null;
}

export interface ClaimRequest extends ClaimTicket {
  /** 0–1000. 0: claim nothing, and only report `nextWakeAt`. */
  readonly limit: number;
  /** Claim only instances of these workflows (the registered ones), each named once. */
  readonly workflowNames: readonly string[];
  /**
   * Suspects are runs whose lease ended after `SUSPECT_ATTEMPTS` or more claims without a commit. `leave`: claim none of them.
   * `alone`: if one is due, claim it and nothing else; if none is, claim as usual. Absent: claim them like any other run.
   */
  readonly suspects?: "leave" | "alone";
  /**
   * The `runnerId` of an earlier life of this process. Leases whose token begins with it and `~` end now, before anything is
   * claimed; those of the current life, `formerRunnerId~life~…`, stay. null: there was none. @default null
   */
  readonly formerRunnerId?: string | null;
  /** The current life of the process, to go with `formerRunnerId`. @default no lease belongs to the current life */
  readonly life?: string;
}

/** Everything that a replay needs, read in the claim's own trip. */
export interface ClaimedRun {
  readonly lease: Lease;
  readonly run: RunRef;
  /** The number that stands for the run in idempotency keys: its own, that of an earlier run whose keys it keeps, or a later one. */
  readonly keyNumber: number;
  /** See `InstanceRecord.retryCount`. */
  readonly retryCount: number;
  readonly params: JsonText | null;
  /** When the instance was created: the `timestamp` of its workflow event. */
  readonly createdAt: EpochMs;
  /** When the run was first claimed: now, or by an earlier claim. */
  readonly startedAt: EpochMs;
  /** This is the first claim of the run, so none of its code has run. */
  readonly isFirst: boolean;
  /** false: the steps are larger than what a claim reads. None of them is here; `loadSteps` reads them. */
  readonly isWhole: boolean;
  /** Settled steps of the run, in the order in which they were settled. */
  readonly settled: readonly SettledStep[];
  /** The other steps of the run, in (createdAt, id) order. */
  readonly open: readonly StepRecord[];
  /** A page of the events that no step has consumed, oldest first. It may be empty although there are events. */
  readonly events: readonly EventRecord[];
  /** The run has more events than the page. */
  readonly hasMoreEvents: boolean;
  /**
   * How many attempts earlier leases stand for without a record of them. Each of those leases may have started the bodies that
   * come first now. A claim stands for one attempt, and so does a commit that implies one. A commit that implies none clears
   * the count.
   */
  readonly lostLeases: number;
  /** A pause was requested: the runner must pause before it starts anything. */
  readonly pauseRequested: boolean;
  /** How the run was asked to end; null: it was not. */
  readonly endRequested: EndRequest | null;
  /** The step that waits for the end of the run; null: none. */
  readonly parent: ParentRef | null;
  /** W3C traceparent of what created the instance. @default none */
  readonly traceContext?: string | null;
}

export interface ClaimResult extends NextDue {
  readonly runs: readonly ClaimedRun[];
  /** A suspect is due and was not claimed: an idle process should claim with `alone`. It does not count in `nextWakeAt`. */
  readonly suspectDue: boolean;
}

/** How much longer a starting task must have been due to be claimed before a resuming one, so that neither kind starves. */
export const STARTING_TASK_HANDICAP_MS = 30_000;
