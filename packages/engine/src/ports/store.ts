/**
 * The store port: six verbs and a clock. Every store passes `testing/store-contract`.
 *
 * Each call MUST be one atomic round trip to the database. Where a verb says so, the items of a call are independent of each
 * other. All instants are the database's own time. A store MUST retry serialization failures, deadlocks and busy errors by
 * itself, with jitter. It throws STORE_UNAVAILABLE if the database cannot be reached.
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

/** Callbacks of a process that listens to a store. */
export interface Hints {
  readonly workflowNames: readonly string[];
  /** Work that another process made may be due. Hints may come without a reason, come in swarms, and get lost. */
  readonly onHint: () => void;
  /** Hints do not arrive now. @param isFinal they never will, for example behind a pooler; otherwise the store keeps trying */
  readonly onTrouble: (error: unknown, isFinal: boolean) => void;
}

/** Stores the instances of an engine. `postgres(url)` and the other store functions return one. */
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
   * How many shared calls of one verb may be in flight: while one is on its way, the next one fills. 1 if calls run one
   * after another anyway. @default 2
   */
  readonly callsAtOnce?: number;
  /** Calls never leave the process, so no platform counts them. @default false */
  readonly isLocal?: boolean;

  /** Creates up to 100 instances; each is independent of the others. Results in request order. */
  create(instances: readonly NewInstance[]): Promise<readonly CreateResult[]>;

  /**
   * Claims due tasks: resuming ones (`resume`, `retry`, `wake`) before starting ones (`run`), each kind in the order of `runAt`.
   * A starting task that is older than a resuming one by 30 s or more goes first, so that neither kind starves. A task is due if
   * it is `pending` and `runAt <= now` (`lockedUntil` is ignored), or `processing` and `lockedUntil <= now`.
   *
   * Sets the task to `processing` with one more attempt, for `leaseMsOf`; the instance to `running` (unless it is
   * `waitingForPause`), and `startedAt` if the run had not started.
   */
  claim(request: ClaimRequest): Promise<ClaimResult>;

  /** Applies commits of different runs. Each has its own fence, so a lost lease fails only its own commit. Results in order. */
  commit(commits: readonly Commit[]): Promise<readonly CommitResult[]>;

  /**
   * Pauses, resumes, terminates, restarts or retries an instance, as the table of `core/decide/lifecycle.ts` says. If an instance is
   * resumed before its first claim, it is due when its create said (`toStartsAt`). A restarted one is due at once. The store
   * remembers the last `controlKey`, and ignores the request if it comes with that key again.
   */
  control(request: ControlRequest): Promise<ControlResult>;

  /**
   * Creates an instance, or restarts the one that has its id with its params. It does exactly one of the two, whoever else
   * creates, controls or runs the instance at the same time.
   */
  restartOrCreate(request: RestartOrCreateRequest): Promise<RestartOrCreateResult>;

  /**
   * Stores an event for the current run, unless the run is terminal. Makes the task due now (kind `wake`) only if the instance
   * is `waiting` and an open wait for that type has `wakeAt` null or in the future; a task that is due keeps its `runAt`.
   * Repeated with the same `eventRowId` or the same `eventId`, the event is stored once, and the repeat is `applied` even if
   * the instance has ended meanwhile. With `claim`, it also claims a run that it makes due.
   */
  sendEvent(request: SendEventRequest): Promise<SendEventResult>;

  /** Reads the next page of steps of a run that the caller holds: at least one step, if there are any. */
  loadSteps(request: LoadStepsRequest): Promise<StepPage>;

  /** Reads a page of events of these types. */
  loadEvents(request: LoadEventsRequest): Promise<EventPage>;

  /** Reads the reply to an event, by the id that its sender gave it. */
  loadReply(request: LoadReplyRequest): Promise<LoadReplyResult>;
  loadInstance(workflowName: string, instanceId: string): Promise<InstanceRecord | null>;
  /** Lists instances. Their params are null, because lists do not show them. */
  listInstances(request: ListInstancesRequest): Promise<Page<Shown<InstanceRecord>>>;
  /** Reads steps and events of one run, each oldest first by (createdAt, id). */
  loadHistory(request: HistoryRequest): Promise<HistoryPage>;

  /**
   * Returns this store inside an open transaction of the caller's on the same database, usable as long as the transaction lasts.
   * Calls are not retried, and a call that fails leaves the transaction as it was. Absent: the store does not support this.
   *
   * @param transaction one of `CallersTransaction`. Calls throw TRANSACTION_UNUSABLE if it is not one or is not open, and
   *   TRANSACTION_CONFLICT if only the whole transaction can be tried again
   */
  within?(transaction: object): Store;

  /**
   * Reports work that other processes may have made due, until you call the function that it returns. A listener still has to
   * look by itself: a hint only shortens the wait. Absent: the store has no hints.
   */
  listen?(hints: Hints): () => void;

  /** Database time. */
  now(): Promise<EpochMs>;
  close(): Promise<void>;
}
