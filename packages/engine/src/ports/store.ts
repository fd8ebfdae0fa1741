/**
 * The store port: six verbs and a clock. Every store passes `testing/store-contract`.
 *
 * Each call MUST be one round trip to the database and atomic, except that items of one call are independent of each
 * other where said. All instants are the database's own time. A store MUST retry serialization failures, deadlocks and
 * busy errors by itself, with jitter; it throws STORE_UNAVAILABLE when the database cannot be reached.
 */
import type { Commit } from "../core/model/change.ts";
import type { EpochMs, InstanceRecord } from "../core/model/records.ts";
import type { DeletingStore } from "./delete.ts";
import type { ExplainingStore } from "./explain.ts";
import type { FindingStore } from "./find-instances.ts";
import type { MovableStore } from "./move.ts";
import type { HistoryPage, HistoryRequest, ListInstancesRequest, Page, Shown } from "./pages.ts";
import type { LoadReplyRequest, LoadReplyResult } from "./reply.ts";
import type { RetainingStore } from "./retain.ts";
import type { RewindingStore } from "./rewind.ts";
import type { UpdatingStore } from "./update.ts";
import type { OverviewStore } from "./overview.ts";
import type { ProgressStore } from "./progress.ts";
import type { TopicStore } from "./topics.ts";
import type { ClaimRequest, ClaimResult } from "./claim.ts";
import type { NewInstance, CreateResult } from "./create.ts";
import type { CommitResult } from "./commit.ts";
import type {
  ControlRequest,
  ControlResult,
  RestartOrCreateRequest,
  RestartOrCreateResult,
} from "./control.ts";
import type { SendEventRequest, SendEventResult } from "./send-event.ts";
import type { LoadEventsRequest, LoadStepsRequest, StepPage, EventPage } from "./run-pages.ts";

/** Who listens, and what a store tells them. */
export interface Hints {
  readonly workflowNames: readonly string[];
  /** Something may have come due that other processes left. Comes for nothing, in swarms, and is lost at times. */
  readonly onHint: () => void;
  /** Hints do not come. @param isFinal nor will they, as behind a pooler; else it goes on being tried */
  readonly onTrouble: (error: unknown, isFinal: boolean) => void;
}

/** Where an engine keeps its instances: what `postgres(url)` and the others return. */
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
    ExplainingStore,
    OverviewStore {
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
