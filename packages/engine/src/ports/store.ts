/**
 * The store port: six verbs and a clock. Every store passes `testing/store-contract`.
 *
 * Each call MUST be one round trip to the database and atomic, except that items of one call are independent of each
 * other where said. All instants are the database's own time. A store MUST retry serialization failures, deadlocks and
 * busy errors by itself, with jitter; it throws STORE_UNAVAILABLE when the database cannot be reached.
 */
import type { Commit, When } from "../core/model/change.ts";
import type {
  EndRequest,
  EpochMs,
  EventRecord,
  InstanceRecord,
  JsonText,
  ParentRef,
  RunRef,
} from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { StoreCommand } from "../core/decide/lifecycle.ts";
import type { DeletingStore } from "./delete.ts";
import type { ExplainingStore } from "./explain.ts";
import type { FindingStore } from "./find-instances.ts";
import type { MovableStore } from "./move.ts";
import type { HistoryPage, HistoryRequest, ListInstancesRequest, Page, Shown } from "./pages.ts";
import type { LoadReplyRequest, LoadReplyResult } from "./reply.ts";
import type { RetainingStore } from "./retain.ts";
import type { RewindingStore } from "./rewind.ts";
import type { RunFacts, UpdatingStore } from "./update.ts";
import type { ProgressStore } from "./progress.ts";
import type { TopicStore } from "./topics.ts";
import type { CallTicket, NextDue, ClaimRequest, ClaimedRun, ClaimResult } from "./claim.ts";

/** An instance to create; ids are made by the caller. Of what is said of the run, nothing is by default. */
export interface NewInstance extends Partial<RunFacts> {
  readonly workflowName: string;
  readonly instanceId: string;
  readonly params: JsonText | null;
  /** Row ids, ≤ 30 characters, unique. */
  readonly instanceRowId: string;
  readonly taskRowId: string;
  /** When the run is due, if that is still to come; null: at once. `startedAt` says so until the first claim. */
  readonly start: When | null;
  /** The step that starts it. @default none does */
  readonly parent?: ParentRef;
  /** W3C traceparent of what creates it. @default none */
  readonly traceContext?: string;
  /** Claim the new run at once (status `running`; `start` is null then), as if `claim` had found it. null: queue it (status `queued`). */
  readonly claim: CallTicket | null;
}

/** The database refused this item of a call for a reason of its own (a bug); nothing of it was written. */
export interface Failed {
  readonly kind: "failed";
  readonly error: unknown;
}

/**
 * `created`: written by this call, or by an earlier one with the same row id whose answer was lost. `exists`: the id is
 * taken; `instance` is the one that has it, nothing was written.
 */
export type CreateResult =
  | {
      readonly kind: "created" | "exists";
      readonly instance: InstanceRecord;
      /** Absent: the claim asked for none. Leases of other items of the call count as those of others. */
      readonly next?: NextDue | undefined;
    }
  | Failed;

/**
 * How many events a call reads of a run that holds many: the oldest ones. What does not fit is read as waits need it
 * (`loadEvents`), so that no claim and no commit grows with what somebody sends.
 */
export const EVENT_PAGE: {
  readonly rows: number;
  /** UTF-8 bytes of payloads; a first event that is larger is read all the same. */
  readonly bytesOfRun: number;
  /** Over all runs of a call; beyond it, runs come without events. */
  readonly bytesOfCall: number;
} = { rows: 100, bytesOfRun: 262_144, bytesOfCall: 8_388_608 };

/** What is counted of an item beside its texts. */
export const ITEM_BYTES = 512;

/**
 * How much a call reads of the steps of its runs, over all of them: UTF-8 bytes of results, and `ITEM_BYTES` for each
 * step. Ten thousand small steps fit. A run that does not is read page by page before replay (`loadSteps`), so that no call
 * grows with what runs have done.
 */
export const STEP_PAGE_BYTES = 8_388_608;

/** Rows of foreign statements, in their order. */
export type OtherTableRows = readonly (readonly Readonly<Record<string, unknown>>[])[];

/**
 * Why foreign writes were not applied: a condition of theirs was false or another writer was in the way (`conflict`), a
 * unique index refused a row, or the database or the store refused a statement (`rejected`).
 */
export type Refusal =
  | {
      readonly kind: "conflict";
      readonly reason: "guard" | "serialization" | "deadlock" | "busy" | "locked";
      readonly guard: string | null;
    }
  | { readonly kind: "unique"; readonly constraint: string }
  | { readonly kind: "rejected"; readonly error: unknown };

/** The foreign writes of a commit were refused: nothing of the commit was applied. The lease may still be held. */
export interface RefusedCommit {
  readonly kind: "refused";
  readonly refusal: Refusal;
}

/**
 * `committed`: applied. `conflict`: the lease is no longer held, nothing of this commit was applied. `refused`: only with
 * foreign writes. `failed`: the database refused this commit and not the others of the call.
 */
export type CommitResult =
  | {
      readonly kind: "committed";
      readonly now: EpochMs;
      /** A pause is asked for and not yet carried out (only after `continue`). */
      readonly pauseRequested: boolean;
      /** How the run is to end (only after `continue`; null otherwise, and as long as nobody has asked). */
      readonly endRequested: EndRequest | null;
      /** The run was paused by this commit: a pause was asked for and not taken back. */
      readonly paused: boolean;
      /** Unconsumed events above the commit's `knownEventSequence`, oldest first (only after `continue` that reads them). */
      readonly events: readonly EventRecord[];
      /** There are more above them, which did not fit the page. */
      readonly hasMoreEvents: boolean;
      /** When the task comes due after `park`, `release` or `pause`; null otherwise, and when paused. */
      readonly dueAt: EpochMs | null;
      /** It was sent more than once, and may have been applied well before `now`. Not by the store: by who repeats it. */
      readonly isRepeated?: true;
      /** Task row ids of children that this call has created; absent: none. */
      readonly children?: readonly string[];
      /** Rows of the foreign statements; absent without them, and when the commit was found applied already. */
      readonly otherTableRows?: OtherTableRows;
    }
  | { readonly kind: "conflict" }
  | RefusedCommit
  | Failed;

export interface ControlRequest {
  readonly workflowName: string;
  readonly instanceId: string;
  readonly command: StoreCommand;
  /** Only if this is the instance's present run; null: whichever it is. */
  readonly ifRunNumber: number | null;
  /** Names the command: the same key, next time, is the same command and changes nothing. null: a new one each time. */
  readonly controlKey: string | null;
  /** Row id for the task that all but `pause` and `terminate` may make. */
  readonly taskRowId: string;
}

/** What became of a call from outside. `instance` is the state after. */
export interface Applied {
  readonly kind: "applied";
  readonly instance: InstanceRecord;
  /**
   * The task was made due, or made anew: a run that is to start later is due then. Of a command also: a child or the parent
   * may be due.
   */
  readonly woke: boolean;
}

/** `terminal`: refused, nothing was written. */
export type Refused =
  | { readonly kind: "terminal"; readonly instance: InstanceRecord }
  | { readonly kind: "notFound" };

/** The instance is at another run than the command was meant for; nothing was written. */
export interface RunNumberMismatch {
  readonly kind: "runNumberMismatch";
  readonly instance: InstanceRecord;
}

/** The command is for an instance that failed, and this one did not; nothing was written. */
export interface NotErrored {
  readonly kind: "notErrored";
  readonly instance: InstanceRecord;
}

/** `applied` also for a no-op, and for a command that was applied before under the same `controlKey`. */
export type ControlResult = Applied | Refused | RunNumberMismatch | NotErrored;

export interface RestartOrCreateRequest {
  /** What is created where nothing has the id; its params are those of the new run where something has. */
  readonly create: NewInstance;
  /** Row id for the task of the run that a restart begins. */
  readonly taskRowId: string;
  /** Restart only this run; null: whichever it is. */
  readonly ifRunNumber: number | null;
  /** Restart only in one of these statuses; null: in any. */
  readonly ifStatus: readonly InstanceStatusName[] | null;
  /** As in `ControlRequest`. */
  readonly controlKey: string | null;
}

/**
 * `created`, `restarted`: by this call, or by an earlier one with the same row id or `controlKey`. `unchanged`: a condition
 * did not hold, and nothing was written.
 */
export interface RestartOrCreateResult {
  readonly kind: "created" | "restarted" | "unchanged";
  readonly instance: InstanceRecord;
  /** A task was made, or may have been. */
  readonly woke: boolean;
}

export interface SendEventRequest {
  readonly workflowName: string;
  readonly instanceId: string;
  readonly eventRowId: string;
  readonly type: string;
  readonly payload: JsonText | null;
  /** The sender's own id: an event that comes again with it is stored once per run. null: none. */
  readonly eventId: string | null;
  /** W3C traceparent of what sends it. @default none */
  readonly traceContext?: string;
  /** What the run may hold undelivered, this event included. */
  readonly cap: EventCap;
  /** Claim the run at once if the event makes it due, as if `claim` had found it. null: leave it to a claim. */
  readonly claim: CallTicket | null;
  /**
   * The event is for one wait: it is stored once, and only while this is the present run, the step of the key has no row or
   * is a wait whose deadline has not passed, and no scope around it has ended or gone past its iteration. `eventId` is not
   * null then. @default an event for any wait of its type
   */
  readonly callback?: CallbackTarget;
}

/** The wait that an event is for. */
export interface CallbackTarget {
  readonly runNumber: number;
  readonly stepKey: string;
}

/** How many undelivered events a run may hold. */
export interface EventCap {
  readonly maxCount: number;
  /** UTF-8 bytes of payloads. */
  readonly maxBytes: number;
}

/**
 * `eventIdConflict`: the run has an event of that id with another type or payload. `eventLimit`: the run holds as much as
 * it may. `callbackUsed`: another event was stored for that wait; `callbackLate`: it takes none any more. The run sees
 * nothing of it.
 */
export interface EventRefused {
  readonly kind: "eventIdConflict" | "eventLimit" | "callbackUsed" | "callbackLate";
  readonly instance: InstanceRecord;
}

export interface EventAccepted extends Applied {
  /** The run that was claimed; null: none was asked for, or the event made nothing due. */
  readonly run: ClaimedRun | null;
  /** Absent: the claim asked for none. */
  readonly next?: NextDue | undefined;
}

export type SendEventResult = EventAccepted | Refused | EventRefused;

export interface LoadEventsRequest extends RunRef {
  readonly types: readonly string[];
  readonly afterSequence: number;
}

export interface LoadStepsRequest extends RunRef {
  /** 0: from the first step on. */
  readonly after: number;
}

/** A part of a run's steps, as `ClaimedRun` has them. */
export interface StepPage extends Pick<ClaimedRun, "settled" | "open"> {
  /** The run has more steps, settled and open, behind these: what `loadSteps` goes on after. null: these are all. */
  readonly stepsAfter: number | null;
  /** Database time of the call. */
  readonly now: EpochMs;
}

export interface EventPage {
  /** Undelivered events of the types, oldest first. */
  readonly events: readonly EventRecord[];
  /** What there was of these types, above `afterSequence` and up to here, is in the page. */
  readonly upTo: number;
  /** There are more of them above. */
  readonly hasMore: boolean;
}

/** Who listens, and what a store tells them. */
export interface Hints {
  readonly workflowNames: readonly string[];
  /** Something may have come due that other processes left. Comes for nothing, in swarms, and is lost at times. */
  readonly onHint: () => void;
  /** Hints do not come. @param isFinal nor will they, as behind a pooler; else it goes on being tried */
  readonly onTrouble: (error: unknown, isFinal: boolean) => void;
}

export interface Store
  extends
    RewindingStore,
    UpdatingStore,
    TopicStore,
    ProgressStore,
    FindingStore,
    DeletingStore,
    MovableStore,
    RetainingStore,
    ExplainingStore {
  /**
   * How many shared calls of one verb to have under way: one is on its way while the next fills. 1 where calls run one
   * after another anyway. @default 2
   */
  readonly callsAtOnce?: number;
  /** Calls never leave the process: no platform counts them. @default false */
  readonly isLocal?: boolean;

  /** Creates up to 100 instances; each is independent of the others. Results in request order. */
  create(instances: readonly NewInstance[]): Promise<readonly CreateResult[]>;

  /**
   * Takes due tasks, resuming ones (`resume`, `retry`, `wake`) before starting ones (`run`), oldest `runAt` first in
   * each, but a starting task older by 30 s or more than a resuming one goes first, so that neither starves. Due is:
   * `pending` with `runAt <= now` (its `lockedUntil` is ignored), or `processing` with `lockedUntil <= now`.
   * Sets task `processing`, attempts + 1, for `leaseMsOf`; instance `running` (kept if `waitingForPause`), `startedAt` if it was not.
   */
  claim(request: ClaimRequest): Promise<ClaimResult>;

  /** Applies commits of different runs, each fenced by itself: one lost lease fails nobody else. Results in order. */
  commit(commits: readonly Commit[]): Promise<readonly CommitResult[]>;

  /**
   * Pause, resume, terminate, restart or retry one instance, by the table of `core/decide/lifecycle.ts`. What is resumed before its
   * first claim is due when its create said (`toStartsAt`); what is restarted, at once. The last `controlKey` is
   * remembered; the rest of the request is looked at only when it is another.
   */
  control(request: ControlRequest): Promise<ControlResult>;

  /**
   * Creates an instance, or restarts the one that has its id with its params: one of both, whoever else creates, controls or
   * runs it meanwhile.
   */
  restartOrCreate(request: RestartOrCreateRequest): Promise<RestartOrCreateResult>;

  /**
   * Stores an event for the current run, unless terminal. Makes the task due now (kind `wake`) only if the instance is
   * `waiting` and an open wait of that type has `wakeAt` null or in the future; a task that is due keeps its `runAt`.
   * Repeated with the same `eventRowId`, or the same `eventId`, the event is stored once: the repeat is `applied`, also when
   * the instance ended meanwhile. With `claim`, a run that it makes due is claimed too.
   */
  sendEvent(request: SendEventRequest): Promise<SendEventResult>;

  /** The next page of the steps of a run that the caller holds; one step at least, if there is any. */
  loadSteps(request: LoadStepsRequest): Promise<StepPage>;

  /** A page of the events that waits of these types look for. */
  loadEvents(request: LoadEventsRequest): Promise<EventPage>;

  /** The reply to an event of a sender's own id. */
  loadReply(request: LoadReplyRequest): Promise<LoadReplyResult>;
  loadInstance(workflowName: string, instanceId: string): Promise<InstanceRecord | null>;
  /** Without params, which nobody looks at in a list: they are null. */
  listInstances(request: ListInstancesRequest): Promise<Page<Shown<InstanceRecord>>>;
  /** Steps and events of one run, each oldest first by (createdAt, id). */
  loadHistory(request: HistoryRequest): Promise<HistoryPage>;

  /**
   * This store inside an open transaction of the caller's on the same database, for as long as it lasts. Calls are not tried
   * again, and one that fails leaves the transaction as it was. Absent: the store has no such thing.
   *
   * @param transaction one of `CallersTransaction`. Calls throw TRANSACTION_UNUSABLE when it is none, or not open, and
   *   TRANSACTION_CONFLICT when only the whole of it can be tried again
   */
  within?(transaction: object): Store;

  /**
   * Tells of what other processes may have made due, until the function that is returned is called. Whoever listens goes on
   * looking by itself: a hint only saves the wait. Absent: nobody can tell.
   */
  listen?(hints: Hints): () => void;

  /** Database time. */
  now(): Promise<EpochMs>;
  close(): Promise<void>;
}
