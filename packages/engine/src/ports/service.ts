/**
 * What an engine can be asked from outside: the verbs under the HTTP API and the typed bindings. Values are decoded
 * JSON here; every method throws WorkflowError with the codes named.
 */
import type { LifecycleCommand } from "../core/decide/lifecycle.ts";
import type { WorkflowDuration } from "../core/duration.ts";
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type {
  HistoryInput,
  HistoryOutput,
  InstanceView,
  ListInstancesInput,
  ListInstancesOutput,
} from "./instance-views.ts";
import type { DescribeService } from "./describe.ts";
import type { BulkService } from "./bulk.ts";
import type { ExplainService } from "./explain.ts";
import type { FindingService } from "./finding-service.ts";
import type { ProgressService } from "./progress-service.ts";
import type { TopicService } from "./topic-service.ts";
import type { TickInput, TickOutput } from "./tick.ts";

/** When a new instance is to start, by the database's clock: `startAt` or `delay`, not both. */
export interface StartInput {
  /** A Date or epoch milliseconds, at most 365 days ahead; in the past: at once. @default at once */
  readonly startAt?: Date | EpochMs;
  /** Milliseconds or a duration string from the create on, at most 365 days. @default 0 */
  readonly delay?: WorkflowDuration;
}

/** What is said of a run beside its params. */
export interface RunOptions {
  /**
   * How long the run may take from now on, by the database's clock: then it is asked to end as by `cancel`, so that its code may clean
   * up, but fails with DEADLINE_EXCEEDED. Milliseconds or a duration string, at most 365
   * days; null: it may take for ever. @default for ever
   */
  readonly deadline?: WorkflowDuration | null;
  /** The same as an instant: a Date or epoch milliseconds. One of both. */
  readonly deadlineAt?: Date | EpochMs | null;
  /** Words to find it by: at most 16 of 1–64 characters, each once. @default none */
  readonly tags?: readonly string[];
  /** Any value of at most 4 KiB of JSON, shown with the status and looked at by nothing; null: none. @default none */
  readonly memo?: unknown;
}

export interface CreateInstanceInput extends StartInput, RunOptions {
  /** @default a random UUID */
  readonly id?: string;
  readonly params?: unknown;
  /** `return`: answer with the instance that has the id instead of failing. @default "error" */
  readonly onExisting?: "error" | "return";
  /**
   * The same key again, with the same params, is the same create: it answers with the instance that the first one made,
   * which starts when the first one said. Without an id, the id is made of the key. 1–255 printable ASCII characters.
   * @default every create is a new one
   */
  readonly idempotencyKey?: string;
}

/** How an instance is read. */
export interface GetInstanceOptions {
  /** Milliseconds to wait at most until the instance has ended; whatever it is then is the answer. 0–20000. @default 0 */
  readonly waitMs?: DurationMs;
}

/** One instance of a batch. */
export interface BatchInstance extends StartInput, RunOptions {
  readonly id: string;
  readonly params?: unknown;
}

/** How several instances are created. */
export interface CreateBatchOptions {
  /** As in `CreateInstanceInput`: what the same key created before counts as created now. */
  readonly idempotencyKey?: string;
}

/** What is demanded of an instance that a command is for. */
export interface ControlOptions {
  /** Only if this is the instance's present run. @default whichever it is */
  readonly ifRunNumber?: number;
  /**
   * The same command with the key of the one before changes nothing. 1–255 printable ASCII characters.
   * @default every command is a new one
   */
  readonly idempotencyKey?: string;
}

/** How an instance is ended. */
export interface TerminateOptions extends ControlOptions {
  /**
   * What its steps have done is undone first, as after a RollbackError; bodies under way are waited for. An undo that fails
   * for good makes the instance `errored`; `retry` goes on with it. @default false: it ends at once
   */
  readonly rollback?: boolean;
}

/** How an instance is run again. */
export interface RestartOptions extends ControlOptions {
  /**
   * Steps have idempotency keys that none had before, so that services outside do their work again. @default false: keys are
   * those of the run before
   */
  readonly newKeys?: boolean;
}

/** Options of any command: `rollback` is for `terminate` alone, `newKeys` for `restart`. */
export type CommandOptions = TerminateOptions & RestartOptions;

/** `deadline`, `tags` and `memo` take the place of those that a restarted instance had; what is absent stays. */
export interface RestartOrCreateInput extends ControlOptions, RunOptions {
  readonly id: string;
  /** Of the new instance, or of the new run. */
  readonly params?: unknown;
  /** Restart it only in one of these statuses; where nothing has the id it is created all the same. @default whichever it is in */
  readonly ifStatus?: readonly InstanceStatusName[];
}

/** What is demanded of an instance that is rewound. */
export interface RewindOptions extends ControlOptions {
  /** Only in one of these statuses. @default whichever it is in */
  readonly ifStatus?: readonly InstanceStatusName[];
}

/** What is to be said of an instance from now on, and what is demanded of it. What is absent stays; null takes away. */
export interface UpdateOptions extends RunOptions, ControlOptions {
  /** Only in one of these statuses. @default whichever it is in */
  readonly ifStatus?: readonly InstanceStatusName[];
}

/** What is demanded of an instance that is forked, and what the new one is. */
export interface ForkOptions extends Omit<RewindOptions, "idempotencyKey"> {
  /** Of the new instance. @default a random UUID, or one made of the idempotency key */
  readonly id?: string;
  /** Of the new instance. @default those of the instance that is forked */
  readonly params?: unknown;
  /**
   * The same key again, with the same instance, step and params, is the same fork: it answers with the instance that the first one
   * made. 1–255 printable ASCII characters. @default every fork is a new one
   */
  readonly idempotencyKey?: string;
}

export interface RestartOrCreateOutput extends InstanceView {
  /** `unchanged`: it exists, and is at another run or in another status than asked for. */
  readonly outcome: "created" | "restarted" | "unchanged";
}

export interface SendEventInput {
  readonly type: string;
  readonly payload?: unknown;
  /** The same id again, with the same event, stores nothing: once per run. 1–255 printable ASCII characters. @default none */
  readonly eventId?: string;
}

/** How the reply to an event is read. */
export interface GetReplyOptions {
  /** Milliseconds to wait at most until there is a reply. 0–20000. @default 0 */
  readonly waitMs?: DurationMs;
  /** Run that the event was sent to. @default the present one */
  readonly runNumber?: number;
}

/** The reply to an event; `answered: false`: there is none yet. */
export interface ReplyOutput {
  readonly answered: boolean;
  /** What workflow code gave `event.reply`. */
  readonly reply?: unknown;
}

/** What a delete has removed. */
export interface DeleteOutput {
  /** The instance, and all its children; 0: there was none. */
  readonly deletedCount: number;
}

export interface CreateBatchOutput {
  /** Those created now, in request order. */
  readonly instances: readonly InstanceView[];
  /** Ids that existed already (or came twice). */
  readonly skipped: readonly string[];
}

/** Every operation of an engine, by names and ids: what the HTTP API and the bindings stand on. */
export interface EngineService
  extends
    TopicService,
    ProgressService,
    FindingService,
    ExplainService,
    DescribeService,
    BulkService {
  listWorkflows(): readonly { readonly name: string }[];
  /**
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_PARAMS, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE,
   *   PAYLOAD_TOO_LARGE, INVALID_DURATION, INVALID_REQUEST, INSTANCE_ID_ALREADY_EXISTS, IDEMPOTENCY_KEY_CONFLICT
   */
  createInstance(workflowName: string, input: CreateInstanceInput): Promise<InstanceView>;
  /** Nothing is written when any item is invalid. @throws as createInstance but INSTANCE_ID_ALREADY_EXISTS, and BATCH_TOO_LARGE */
  createBatch(
    workflowName: string,
    instances: readonly BatchInstance[],
    options?: CreateBatchOptions,
  ): Promise<CreateBatchOutput>;
  /** @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION */
  getInstance(
    workflowName: string,
    instanceId: string,
    options?: GetInstanceOptions,
  ): Promise<InstanceView>;
  /** Newest first. @throws WORKFLOW_NOT_FOUND, INVALID_CURSOR, INVALID_REQUEST */
  listInstances(workflowName: string, input: ListInstancesInput): Promise<ListInstancesOutput>;
  /**
   * @param options `rollback` is for `terminate` alone, `newKeys` for `restart`
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_IDEMPOTENCY_KEY, INSTANCE_NOT_FOUND, INSTANCE_TERMINAL,
   *   INSTANCE_NOT_ERRORED, RUN_NUMBER_MISMATCH, INVALID_REQUEST, UNKNOWN_OPTION
   */
  control(
    workflowName: string,
    instanceId: string,
    command: LifecycleCommand,
    options?: CommandOptions,
  ): Promise<InstanceView>;
  /**
   * Creates an instance, or restarts the one that has the id with these params. One trip.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_PARAMS, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE,
   *   PAYLOAD_TOO_LARGE, INVALID_REQUEST, UNKNOWN_OPTION, IDEMPOTENCY_KEY_CONFLICT
   */
  restartOrCreate(
    workflowName: string,
    input: RestartOrCreateInput,
  ): Promise<RestartOrCreateOutput>;
  /**
   * Brings the present run back to a step: it runs again from there. One trip.
   *
   * @param stepKey as history shows it
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_IDEMPOTENCY_KEY, INSTANCE_NOT_FOUND, STEP_NOT_FOUND, STEP_PASSED,
   *   RUN_UNDONE, RUN_NUMBER_MISMATCH, STATUS_MISMATCH, INVALID_REQUEST, UNKNOWN_OPTION
   */
  rewind(
    workflowName: string,
    instanceId: string,
    stepKey: string,
    options?: RewindOptions,
  ): Promise<InstanceView>;
  /**
   * Creates an instance that begins with a copy of the steps of this one before a step. One trip.
   *
   * @returns the new instance
   * @throws as rewind, and INVALID_PARAMS, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, INSTANCE_ID_ALREADY_EXISTS,
   *   IDEMPOTENCY_KEY_CONFLICT
   */
  fork(
    workflowName: string,
    instanceId: string,
    stepKey: string,
    options?: ForkOptions,
  ): Promise<InstanceView>;
  /**
   * Changes deadline, tags or memo of an instance in any status; a deadline only of one that has not ended. One trip.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_IDEMPOTENCY_KEY, INSTANCE_NOT_FOUND, INSTANCE_TERMINAL — it has ended
   *   and has no deadline; DEADLINE_EXCEEDED — the deadline that is to be moved has passed; RUN_NUMBER_MISMATCH, STATUS_MISMATCH,
   *   INVALID_REQUEST, INVALID_DURATION, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, UNKNOWN_OPTION
   */
  update(workflowName: string, instanceId: string, options: UpdateOptions): Promise<InstanceView>;
  /**
   * Deletes an instance that has ended, with all its runs and what they have left, and with its children and theirs. What is
   * not there is no error. One trip.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_ENDED — it goes on, or one of its children does, or the run
   *   that started it
   */
  deleteInstance(workflowName: string, instanceId: string): Promise<DeleteOutput>;
  /**
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, INVALID_EVENT_TYPE,
   *   EVENT_UNDECLARED, INVALID_EVENT_PAYLOAD, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE,
   *   EVENT_ID_CONFLICT, EVENT_LIMIT, UNKNOWN_OPTION
   */
  sendEvent(workflowName: string, instanceId: string, event: SendEventInput): Promise<InstanceView>;
  /**
   * What an event was answered with, by the id that its sender gave it.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND, INVALID_IDEMPOTENCY_KEY, EVENT_NOT_FOUND,
   *   EVENT_NOT_ANSWERED — its run has ended without a reply; INVALID_REQUEST, UNKNOWN_OPTION
   */
  getReply(
    workflowName: string,
    instanceId: string,
    eventId: string,
    options?: GetReplyOptions,
  ): Promise<ReplyOutput>;
  /**
   * Gives the payload to the `step.callback` that the token is of; once, whoever else does so at the same time.
   *
   * @throws CALLBACK_DISABLED, CALLBACK_INVALID, CALLBACK_USED, CALLBACK_LATE, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, EVENT_LIMIT
   */
  completeCallback(token: string, payload?: unknown): Promise<InstanceView>;
  /** Passes a token that this engine has signed, used or not, and asks no database. @throws CALLBACK_DISABLED, CALLBACK_INVALID */
  verifyCallback(token: string): Promise<void>;
  /** @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND, INVALID_CURSOR, INVALID_REQUEST */
  listHistory(
    workflowName: string,
    instanceId: string,
    input: HistoryInput,
  ): Promise<HistoryOutput>;
  /** One bounded pass of the runner. Safe to call from many places at once. @throws STORE_UNAVAILABLE */
  tick(input?: TickInput): Promise<TickOutput>;
}

/** The service without pages: what bindings and ticks need. */
export type CoreService = Omit<
  EngineService,
  "listInstances" | "listHistory" | keyof FindingService | keyof BulkService
>;
