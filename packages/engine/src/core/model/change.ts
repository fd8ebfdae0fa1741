/** What a runner wants to be true next, as plain data. A store applies changes; it decides nothing. */
import type {
  DivergedStep,
  DurationMs,
  EndRequest,
  EpochMs,
  ErrorRecord,
  JsonText,
  Lease,
  OnParentEnd,
  ParentRef,
  RunRef,
  StepRecord,
} from "./records.ts";
import type { ProgressRetention } from "../progress.ts";
import type { TopicRetention } from "../topic-retention.ts";
import type { TaskKind } from "./status.ts";

/** An instant: absolute, or so long after the database's time at the commit; of a step that settles, after it did. */
export type When = { readonly at: EpochMs } | { readonly inMs: DurationMs };

/** The whole next state of a step. The store inserts the row or replaces all of it but `createdAt`. */
export interface StepWrite extends Omit<
  StepRecord,
  "nextRetryAt" | "wakeAt" | "version" | "createdAt" | "updatedAt"
> {
  readonly nextRetry: When | null;
  readonly wake: When | null;
  /** Of a step that settles: when it did, which author code is told before any commit. null: the commit's instant. */
  readonly updatedAt: EpochMs | null;
}

/** One statement on tables that are not the engine's, in the text of the store's database, with its parameters in order. */
export interface OtherTableStatement {
  readonly text: string;
  readonly values: readonly (string | number | boolean | null)[];
}

/**
 * Writes of other tables that belong to a step which this commit settles: applied with it or not at all, and once, also
 * when the commit is repeated.
 */
export interface OtherTableWrites {
  readonly kind: "otherTables";
  readonly stepKey: string;
  readonly statements: readonly OtherTableStatement[];
}

/** The next state of a step, and what the commit says beside it. */
export interface StepChange {
  readonly kind: "step";
  readonly step: StepWrite;
  /**
   * 0 for a step's first write, higher for each later one. A write whose version is not above the row's changes nothing:
   * a commit that comes late or twice undoes nothing.
   */
  readonly version: number;
  /**
   * Steps whose bodies start with this commit and have no row of their own; only on a step that this commit settles. The key of
   * its own undo says that it has one.
   */
  readonly startedKeys: readonly string[];
  /**
   * Loops that the step stands in, but for those that have ended. Where one has been written later than this says, its rows may
   * be gone: then nothing is written, so that a commit that comes late brings none back. @default none
   */
  readonly loops?: readonly LoopWrite[];
}

/** The last write of a loop's own row that a commit knows of. */
export interface LoopWrite {
  readonly stepKey: string;
  /** As of `StepChange`; -1: none. */
  readonly version: number;
}

/** How long an event is kept after a step took it whose row a loop has removed. */
export const TRIMMED_EVENTS_KEPT_MS: DurationMs = 3_600_000;

/**
 * Steps of a loop's old iterations: their rows go, and so do events that such rows had taken, an hour after they did: until
 * then their ids tell a repeat of `sendEvent`. A row that is written in the same commit goes too. The commit writes the row of the
 * loop: see `StepChange.loops`.
 */
export interface StepsTrimmed {
  readonly kind: "stepsTrimmed";
  readonly stepKeys: readonly string[];
}

/** A child that a step starts, in the commit that records its wait. */
export interface ChildCreated {
  readonly kind: "childCreated";
  readonly stepKey: string;
  readonly workflowName: string;
  readonly instanceId: string;
  readonly params: JsonText | null;
  readonly onParentEnd: OnParentEnd;
  /** Row ids, as of `NewInstance`. */
  readonly instanceRowId: string;
  readonly taskRowId: string;
  /** The lease on its run that the runner takes with this; null: the run is queued. */
  readonly claim: ChildClaim | null;
  /** W3C traceparent of its parent's run. @default none */
  readonly traceContext?: string;
  /** The event that tells the step that the id is taken, by an instance that it did not start. */
  readonly refusal: ChildEvent;
  /** As of `NewInstance`. */
  readonly deadline?: When | null;
  readonly tags?: readonly string[];
  readonly memo?: JsonText | null;
}

/** As `ClaimTicket`. */
export interface ChildClaim {
  readonly token: string;
  readonly leaseMs: DurationMs;
}

/** What a step is told of its child. */
export interface ChildEvent {
  readonly rowId: string;
  /** As `toChildPayload` and `toFailedPayload` make it. */
  readonly payload: JsonText;
}

/** A step waits for its child no more: unless it is `abandon`ed, the child is asked to end. */
export interface ChildReleased {
  readonly kind: "childReleased";
  readonly stepKey: string;
}

/** The run that ends is a child: the event that its parent's step waits for, which is stored once for a step and child. */
export interface ParentTold {
  readonly kind: "parentTold";
  readonly parent: ParentRef;
  readonly event: ChildEvent;
}

/** The answer to an event that a step has taken; the first one stays. Beside it goes the `reply` step that tells a replay so. */
export interface EventReplied {
  readonly kind: "eventReplied";
  readonly eventId: string;
  /** Made by `toReplyText`. */
  readonly reply: JsonText;
}

/**
 * A message that a run emits to a topic, in the commit that settles the step. An id that the topic still knows stores nothing.
 */
export interface MessageEmitted {
  readonly kind: "messageEmitted";
  readonly stepKey: string;
  /** Row id of the message. */
  readonly rowId: string;
  /** Row id for the topic, if this is the first of it. */
  readonly topicRowId: string;
  readonly topic: string;
  /** The sender's own id: a message that comes again with it is stored once, for as long as the topic keeps it. null: none. */
  readonly messageId: string | null;
  /** Made by `toMessageText`. */
  readonly message: JsonText;
  readonly retention: TopicRetention;
}

/** An entry of the instance's stream, behind those that it has. Within a commit they are in the order in which they were made. */
export interface ProgressMade {
  readonly kind: "progressMade";
  /** Step that the entry is of: a `progress` step, or the one whose body made it. */
  readonly stepKey: string;
  /** Attempt of that body, from 1; null: the entry was made between steps. */
  readonly attempt: number | null;
  /** Row id of the entry. */
  readonly rowId: string;
  readonly value: JsonText;
  readonly retention: ProgressRetention;
}

/** One datum to persist beside the outcome. At most one `step` change per step key in a commit. */
export type Change =
  | StepChange
  | { readonly kind: "eventConsumed"; readonly eventId: string; readonly stepKey: string }
  | EventReplied
  | StepsTrimmed
  | ChildCreated
  | ChildReleased
  | ParentTold
  | MessageEmitted
  | ProgressMade
  | OtherTableWrites;

/**
 * What becomes of the run and of its lease.
 *
 * - `continue`: the lease is kept.
 * - `park`: instance `waiting`, task due at the earlier of `at` and now + `inMs`; due at once when an event of a type
 *   that an open wait asks for has a sequence above the commit's `knownEventSequence`, or when the run was asked to end in
 *   another way than `knownEndRequest`; not later than the run's deadline, unless it was asked to end. A requested pause wins.
 * - `release`: hand the run over; instance `queued`, task due now. A requested pause wins.
 * - `pause`: as `release`, for a runner that heard of a pause: paused if the pause is still asked for, else handed over.
 * - `retryRun`: see `RunRetried`.
 * - `complete`, `fail`, `terminate`: terminal, no task. `terminate`: the run has ended as it was asked to from outside.
 */
export type RunOutcome =
  | { readonly kind: "continue" }
  | {
      readonly kind: "park";
      readonly taskKind: Extract<TaskKind, "wake" | "retry">;
      readonly at: EpochMs | null;
      readonly inMs: DurationMs | null;
    }
  | { readonly kind: "release" }
  | { readonly kind: "pause" }
  | RunRetried
  | { readonly kind: "complete"; readonly output: JsonText | null }
  | { readonly kind: "fail"; readonly error: ErrorRecord }
  | { readonly kind: "terminate"; readonly error: ErrorRecord | null };

/**
 * The run has failed and begins again as the next run of its instance, which keeps its params, its deadline, the events that no step
 * has taken, and its parent. Status `queued`; `error` is told until the next outcome. A request to end that its runner has not
 * heard of wins: then it is `release`, and the run ends as it is asked to. A requested pause wins too: the next run is paused.
 */
export interface RunRetried {
  readonly kind: "retryRun";
  readonly error: ErrorRecord;
  /** When the next run is due, unless the deadline is earlier. */
  readonly due: When;
  /** Idempotency keys of the next run's steps: those that this one's have, or new ones. */
  readonly keys: "same" | "new";
}

/** How a run ends for good. */
export type EndOutcome = Extract<RunOutcome, { kind: "complete" | "fail" | "terminate" }>;

/**
 * One boundary of one run: applied whole and only while the lease holds. A repeat of a commit that was applied answers as
 * the first did and changes nothing.
 */
export interface Commit {
  readonly lease: Lease;
  /** 1 for the lease's first commit, rising: with the lease's token it tells a repeat from another commit. */
  readonly number: number;
  /** It was sent before, and no answer came: it may have been applied, and what it ended may have been claimed since. */
  readonly isRepeat?: true;
  readonly run: RunRef;
  readonly changes: readonly Change[];
  readonly outcome: RunOutcome;
  /** What the instance tells from now on. Only with `park`, `complete` and `fail`; other outcomes leave what it tells. */
  readonly diverged: readonly DivergedStep[];
  /** The run makes progress again: leases that died before this one are forgotten. Only with `continue`. */
  readonly clearsLostLeases: boolean;
  /** Prolong the lease to now + this. null: leave it. */
  readonly renewLeaseMs: DurationMs | null;
  /** An open wait could take a new event: the answer carries those that there are. Only with `continue`. */
  readonly readsEvents: boolean;
  /** Highest event sequence that the runner has seen for this run. 0: none. */
  readonly knownEventSequence: number;
  /** How the run is to end, as far as its runner has heard; null: it has heard of nothing. */
  readonly knownEndRequest: EndRequest | null;
}
