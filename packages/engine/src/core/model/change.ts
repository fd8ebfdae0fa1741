/** The changes that a runner wants, as plain data. A store applies changes; it decides nothing. */
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

/** An instant: absolute, or relative to the database's time at the commit; for a step that settles, relative to its settlement. */
export type When = { readonly at: EpochMs } | { readonly inMs: DurationMs };

/** The whole next state of a step. The store inserts the row or replaces all of it but `createdAt`. */
export interface StepWrite extends Omit<
  StepRecord,
  "nextRetryAt" | "wakeAt" | "version" | "createdAt" | "updatedAt"
> {
  readonly nextRetry: When | null;
  readonly wake: When | null;
  /** When the step settled, which author code is given before any commit. null: the commit's instant, or the step is open. */
  readonly updatedAt: EpochMs | null;
}

/** One statement on tables that do not belong to the engine, in the SQL of the store's database, with its parameters in order. */
export interface OtherTableStatement {
  readonly text: string;
  readonly values: readonly (string | number | boolean | null)[];
}

/**
 * Writes to other tables that belong to a step which this commit settles. They are applied together with the step or not at all, and
 * only once, even if the commit is repeated.
 */
export interface OtherTableWrites {
  readonly kind: "otherTables";
  readonly stepKey: string;
  readonly statements: readonly OtherTableStatement[];
}

/** The next state of a step, and what else the commit does with it. */
export interface StepChange {
  readonly kind: "step";
  readonly step: StepWrite;
  /**
   * 0 for a step's first write, higher for each later one. A write whose version is not above the row's changes nothing, so a commit
   * that arrives late or twice does no harm.
   */
  readonly version: number;
  /**
   * Steps whose bodies start with this commit and have no row of their own; only on a step that this commit settles. The key of the
   * step's own undo says that it has one.
   */
  readonly startedKeys: readonly string[];
  /**
   * The loops around the step that have not ended. If such a loop has since been written with a higher version, its rows may be gone.
   * Then nothing is written, so that a late commit brings no row back. @default none
   */
  readonly loops?: readonly LoopWrite[];
}

/** The last write of a loop's own row that a commit knows of. */
export interface LoopWrite {
  readonly stepKey: string;
  /** Like `StepChange.version`; -1: none. */
  readonly version: number;
}

/** How long an event is kept after it was taken by a step whose row a loop has removed. */
export const TRIMMED_EVENTS_KEPT_MS: DurationMs = 3_600_000;

/**
 * Steps of a loop's old iterations. Their rows are removed, and an hour later the events that those steps had taken: until then, the
 * events' ids detect a repeated `sendEvent`. A row that the same commit writes is removed, too. The commit writes the loop's own row:
 * see `StepChange.loops`.
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
  /** Row ids, as in `NewInstance`. */
  readonly instanceRowId: string;
  readonly taskRowId: string;
  /** The lease on the child's run that the runner takes with this commit; null: the run is queued. */
  readonly claim: ChildClaim | null;
  /** W3C traceparent of the parent's run. @default none */
  readonly traceContext?: string;
  /** The event that tells the step that another instance, which it did not start, has the id. */
  readonly refusal: ChildEvent;
  /** As in `NewInstance`. */
  readonly deadline?: When | null;
  readonly tags?: readonly string[];
  readonly memo?: JsonText | null;
}

/** Like `ClaimTicket`. */
export interface ChildClaim {
  readonly token: string;
  readonly leaseMs: DurationMs;
}

/** The event that reports a child's end to its step. */
export interface ChildEvent {
  readonly rowId: string;
  /** Made by `toChildPayload` or `toFailedPayload`. */
  readonly payload: JsonText;
}

/** A step no longer waits for its child. Unless the policy is `abandon`, the child is asked to end. */
export interface ChildReleased {
  readonly kind: "childReleased";
  readonly stepKey: string;
}

/** The run that ends is a child: the event for the waiting step of its parent, stored once per step and child. */
export interface ParentNotice {
  readonly kind: "parentTold";
  readonly parent: ParentRef;
  readonly event: ChildEvent;
}

/** The reply to an event that a step has taken; the first reply counts. The commit also has the `reply` step, for replays. */
export interface EventReplied {
  readonly kind: "eventReplied";
  readonly eventId: string;
  /** Made by `toReplyText`. */
  readonly reply: JsonText;
}

/**
 * A message that a run emits to a topic, in the commit that settles the step. If the topic still knows the id, nothing is stored.
 */
export interface MessageEmitted {
  readonly kind: "messageEmitted";
  readonly stepKey: string;
  /** Row id of the message. */
  readonly rowId: string;
  /** Row id for the topic, if it has no row yet. */
  readonly topicRowId: string;
  readonly topic: string;
  /** The sender's own id. A message with an id that the topic still knows is stored only once. null: none. */
  readonly messageId: string | null;
  /** Made by `toMessageText`. */
  readonly message: JsonText;
  readonly retention: TopicRetention;
}

/** A new entry at the end of the instance's progress stream. A commit lists its entries in the order in which they were made. */
export interface ProgressMade {
  readonly kind: "progressMade";
  /** The step of the entry: a `progress` step, or the one whose body made it. */
  readonly stepKey: string;
  /** Attempt of that body, from 1; null: the entry was made between steps. */
  readonly attempt: number | null;
  /** Row id of the entry. */
  readonly rowId: string;
  readonly value: JsonText;
  readonly retention: ProgressRetention;
}

/** One datum to persist beside the outcome. A commit has at most one `step` change per step key. */
export type Change =
  | StepChange
  | { readonly kind: "eventConsumed"; readonly eventId: string; readonly stepKey: string }
  | EventReplied
  | StepsTrimmed
  | ChildCreated
  | ChildReleased
  | ParentNotice
  | MessageEmitted
  | ProgressMade
  | OtherTableWrites;

/**
 * What happens to the run and to its lease.
 *
 * - `continue`: the lease is kept.
 * - `park`: the instance is `waiting`, and its task is due at the earlier of `at` and now + `inMs`. It is due at once if an event of
 *   a type that an open wait asks for has a sequence above the commit's `knownEventSequence`, or if the run was asked to end in
 *   another way than `knownEndRequest`. It is due at the run's deadline at the latest, unless the run was asked to end. A requested
 *   pause takes precedence.
 * - `release`: the instance is `queued`, and its task is due now. A requested pause takes precedence.
 * - `pause`: like `release`, for a runner that knows of a pause: `paused` if the pause is still requested, otherwise released.
 * - `retryRun`: see `RunRetried`.
 * - `complete`, `fail`, `terminate`: terminal, without a task. `terminate`: the run has ended as it was asked to from outside.
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
 * The run has failed and begins again as the next run of its instance. The next run keeps its params, its deadline, the events that no
 * step has taken, and its parent. The status is `queued`; `error` is shown until the next outcome. An end request that the runner
 * does not know of takes precedence: then this is `release`, and the run ends as requested. A requested pause takes precedence too:
 * the next run is paused.
 */
export interface RunRetried {
  readonly kind: "retryRun";
  readonly error: ErrorRecord;
  /** When the next run is due, unless its deadline is earlier. */
  readonly due: When;
  /** Idempotency keys of the next run's steps: those of this run, or new ones. */
  readonly keys: "same" | "new";
}

/** How a run ends for good. */
export type EndOutcome = Extract<RunOutcome, { kind: "complete" | "fail" | "terminate" }>;

/**
 * One boundary of one run, applied as a whole and only while the lease holds. Repeating a commit that was applied returns the same
 * answer and changes nothing.
 */
export interface Commit {
  readonly lease: Lease;
  /** 1 for the lease's first commit, then rising. Together with the lease's token it tells a repeat from another commit. */
  readonly number: number;
  /** The commit was sent before without an answer. It may have been applied, and what it ended may have been claimed since. */
  readonly isRepeat?: true;
  readonly run: RunRef;
  readonly changes: readonly Change[];
  readonly outcome: RunOutcome;
  /** The diverged steps that the instance shows from now on. Only with `park`, `complete` and `fail`; other outcomes do not change them. */
  readonly diverged: readonly DivergedStep[];
  /** The run makes progress again, so the lost leases before this one no longer count. Only with `continue`. */
  readonly clearsLostLeases: boolean;
  /** Extends the lease to now + this. null: no change. */
  readonly renewLeaseMs: DurationMs | null;
  /** An open wait could take a new event, so the answer is to contain the events that are there. Only with `continue`. */
  readonly readsEvents: boolean;
  /** Highest event sequence that the runner has seen for this run. 0: none. */
  readonly knownEventSequence: number;
  /** How the run is to end, as far as its runner knows; null: it knows of no request. */
  readonly knownEndRequest: EndRequest | null;
}
