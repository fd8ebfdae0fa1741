/** Claims: what a store is asked for when runs are taken, and what it answers. */
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

/** The lease that a call takes on a run which it finds or makes due. */
export interface ClaimTicket {
  /** What the tokens of the leases begin with; never used before. */
  readonly token: string;
  readonly leaseMs: DurationMs;
}

/** The same on a run that the call itself has made due. */
export interface CallTicket extends ClaimTicket {
  /** Workflows of which the answer tells what comes next, as a claim does. @default none */
  readonly looksFor?: readonly string[];
}

/** What a claim tells of what comes next. */
export interface NextDue {
  /** Database time of the claim. */
  readonly now: EpochMs;
  /**
   * When the earliest task of the named workflows that is still claimable comes due, or the earliest lease of theirs
   * (this claim's own left out) ends; may be in the past. The claim's own instant when it found as many as it asked for:
   * more may be due.
   */
  readonly nextWakeAt: EpochMs | null;
  /** As `nextWakeAt` without the ends of leases, which move on as long as their holders live: nobody stays for one. */
  readonly nextDueAt: EpochMs | null;
}

export interface ClaimRequest extends ClaimTicket {
  /** 0–1000. 0: take nothing, only tell `nextWakeAt`. */
  readonly limit: number;
  /** Claim only instances of these workflows (the registered ones), each named once. */
  readonly workflowNames: readonly string[];
  /**
   * Suspects are runs whose lease ended after `SUSPECT_ATTEMPTS` claims or more without a commit. `leave`: take none of
   * them. `alone`: if one is due, take it and nothing else; if none is, claim as usual. Absent: as any other run.
   */
  readonly suspects?: "leave" | "alone";
  /**
   * `runnerId` of an earlier life of this process: leases whose token begins with it and `~` end now, before anything is
   * claimed; those of the present life, `formerRunnerId~life~…`, stay. null: there was none. @default null
   */
  readonly formerRunnerId?: string | null;
  /** The present life of the process, beside `formerRunnerId`. @default no lease is of the present life */
  readonly life?: string;
}

/** Everything replay needs, read in the claim's own trip. */
export interface ClaimedRun {
  readonly lease: Lease;
  readonly run: RunRef;
  /** What stands for the run in idempotency keys: its own number, or an earlier run's whose keys it keeps, or a later one. */
  readonly keyNumber: number;
  /** See `InstanceRecord.retryCount`. */
  readonly retryCount: number;
  readonly params: JsonText | null;
  /** When the instance was created: the `timestamp` of its workflow event. */
  readonly createdAt: EpochMs;
  /** When the run was first claimed: now, or by an earlier claim. */
  readonly startedAt: EpochMs;
  /** No claim has taken the run before this one: none of its code has run. */
  readonly isFirst: boolean;
  /** false: the steps weigh more than a claim reads; none of them is here, `loadSteps` reads them. */
  readonly isWhole: boolean;
  /** Settled steps of the run, in the order in which they were settled. */
  readonly settled: readonly SettledStep[];
  /** The other steps of the run, in (createdAt, id) order. */
  readonly open: readonly StepRecord[];
  /** Events of the run that no step has consumed, oldest first; a page, which may be empty though there are events. */
  readonly events: readonly EventRecord[];
  /** The run holds more than the page. */
  readonly hasMoreEvents: boolean;
  /**
   * Attempts that earlier leases stood for and nobody recorded: each may have started the bodies that come first now. A
   * claim stands for one, and so does a commit that implies one; a commit that implies none clears the count.
   */
  readonly lostLeases: number;
  /** A pause was asked for: the runner must pause before it starts anything. */
  readonly pauseRequested: boolean;
  /** How the run is to end; null: as its code says. */
  readonly endRequested: EndRequest | null;
  /** The step that waits for its end; null: none does. */
  readonly parent: ParentRef | null;
  /** W3C traceparent of what created the instance. @default none */
  readonly traceContext?: string | null;
}

export interface ClaimResult extends NextDue {
  readonly runs: readonly ClaimedRun[];
  /** A suspect is due and was not taken: an idle process should claim with `alone`. Not counted in `nextWakeAt`. */
  readonly suspectDue: boolean;
}

/** How much longer a starting task must have been due to go before a resuming one, so that neither starves. */
export const STARTING_TASK_HANDICAP_MS = 30_000;
