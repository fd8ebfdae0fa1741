/**
 * The operations of an engine, which the HTTP API and the typed bindings are built on. Values here are decoded JSON, and
 * every method throws WorkflowError with the codes that it names.
 */
import type { LifecycleCommand } from "../core/decide/lifecycle.ts";
import type { DurationMs } from "../core/model/records.ts";
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
import type { OverviewService } from "./overview-service.ts";
import type { ProgressService } from "./progress-service.ts";
import type { TopicService } from "./topic-service.ts";
import type { TickInput, TickOutput } from "./tick.ts";
import type {
  CreateInstanceInput,
  BatchInstance,
  CreateBatchOptions,
  CreateBatchOutput,
} from "./create-inputs.ts";
import type {
  CommandOptions,
  Preconditions,
  RestartOrCreateInput,
  RewindOptions,
  UpdateOptions,
  ForkOptions,
  RestartOrCreateOutput,
} from "./command-options.ts";
import type { SendEventInput, GetReplyOptions, ReplyOutput } from "./event-inputs.ts";

/** How to read an instance. */
export interface GetInstanceOptions {
  /** How long to wait until the instance has ended, in milliseconds. Then you get it as it is. 0–20000. @default 0 */
  readonly waitMs?: DurationMs;
  /** Ends the wait when aborted. */
  readonly signal?: AbortSignal;
}

/** The result of a delete. */
export interface DeleteOutput {
  /** How many instances were deleted, children included; 0: there was none. */
  readonly deletedCount: number;
}

/** Every operation of an engine, by workflow names and ids. The HTTP API and the bindings are built on it. */
export interface EngineService
  extends
    TopicService,
    ProgressService,
    FindingService,
    OverviewService,
    ExplainService,
    DescribeService,
    BulkService {
  /** Lists the workflows that are registered. It does not ask the database. */
  listWorkflows(): readonly { readonly name: string }[];
  /**
   * Creates an instance. One trip.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_PARAMS, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE,
   *   PAYLOAD_TOO_LARGE, INVALID_DURATION, INVALID_REQUEST, INSTANCE_ID_ALREADY_EXISTS, IDEMPOTENCY_KEY_CONFLICT
   */
  createInstance(workflowName: string, input: CreateInstanceInput): Promise<InstanceView>;
  /**
   * Creates many instances. If any item is invalid, none is created.
   *
   * @throws as createInstance except INSTANCE_ID_ALREADY_EXISTS, and BATCH_TOO_LARGE
   */
  createBatch(
    workflowName: string,
    instances: readonly BatchInstance[],
    options?: CreateBatchOptions,
  ): Promise<CreateBatchOutput>;
  /**
   * Reads the status of an instance.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION
   */
  getInstance(
    workflowName: string,
    instanceId: string,
    options?: GetInstanceOptions,
  ): Promise<InstanceView>;
  /** Lists instances of a workflow, newest first. @throws WORKFLOW_NOT_FOUND, INVALID_CURSOR, INVALID_REQUEST */
  listInstances(workflowName: string, input: ListInstancesInput): Promise<ListInstancesOutput>;
  /**
   * Pauses, resumes, cancels, terminates, restarts or retries an instance. One trip.
   *
   * @param options `rollback` is only for `terminate`, `newKeys` only for `restart`, `from` only for `retry`
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_IDEMPOTENCY_KEY, INSTANCE_NOT_FOUND, INSTANCE_TERMINAL,
   *   INSTANCE_NOT_ERRORED, RUN_NUMBER_MISMATCH, STATUS_MISMATCH, INVALID_REQUEST, UNKNOWN_OPTION; with `from` also
   *   STEP_NOT_FOUND, STEP_PASSED, RUN_UNDONE, IDEMPOTENCY_KEY_CONFLICT
   */
  control(
    workflowName: string,
    instanceId: string,
    command: LifecycleCommand,
    options?: CommandOptions,
  ): Promise<InstanceView>;
  /**
   * Creates an instance, or restarts the one with this id with these params. One trip.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_PARAMS, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE,
   *   PAYLOAD_TOO_LARGE, INVALID_REQUEST, UNKNOWN_OPTION, IDEMPOTENCY_KEY_CONFLICT
   */
  restartOrCreate(
    workflowName: string,
    input: RestartOrCreateInput,
  ): Promise<RestartOrCreateOutput>;
  /**
   * Takes the current run back to a step: it runs again from there. One trip.
   *
   * @param stepKey as the history shows it
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_IDEMPOTENCY_KEY, INSTANCE_NOT_FOUND, STEP_NOT_FOUND,
   *   STEP_PASSED, RUN_UNDONE, RUN_NUMBER_MISMATCH, STATUS_MISMATCH, INVALID_REQUEST, UNKNOWN_OPTION,
   *   IDEMPOTENCY_KEY_CONFLICT — the last command with this key was a rewind to another step
   */
  rewind(
    workflowName: string,
    instanceId: string,
    stepKey: string,
    options?: RewindOptions,
  ): Promise<InstanceView>;
  /**
   * Creates an instance that begins with a copy of this one's steps before a step. One trip.
   *
   * @returns the new instance
   * @throws as rewind, and INVALID_PARAMS, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, INSTANCE_ID_ALREADY_EXISTS
   */
  fork(
    workflowName: string,
    instanceId: string,
    stepKey: string,
    options?: ForkOptions,
  ): Promise<InstanceView>;
  /**
   * Changes deadline, tags or memo of an instance, in any status; the deadline only if it has not ended. One trip.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_IDEMPOTENCY_KEY, INSTANCE_NOT_FOUND, INSTANCE_TERMINAL — it has
   *   ended and has no deadline; DEADLINE_EXCEEDED — the deadline that is to be moved has passed; RUN_NUMBER_MISMATCH,
   *   STATUS_MISMATCH, INVALID_REQUEST, INVALID_DURATION, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, UNKNOWN_OPTION,
   *   IDEMPOTENCY_KEY_CONFLICT — the last command with this key was an update with other details
   */
  update(workflowName: string, instanceId: string, options: UpdateOptions): Promise<InstanceView>;
  /**
   * Deletes an instance that has ended, with all its runs, everything that they stored, and its children and theirs. It is no
   * error if the instance does not exist. One trip, and one more if there is no such instance. A family of more than 500
   * instances, or of more than 500 rows of one kind, takes many trips, and the instance itself goes last. If such a call is
   * interrupted, repeat it, and it continues; without `ifRunNumber`, because it may have given the instance an empty run.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_ENDED — it is under way, or one of its children is, or the
   *   run that started it; RUN_NUMBER_MISMATCH, STATUS_MISMATCH, INVALID_REQUEST, UNKNOWN_OPTION
   */
  deleteInstance(
    workflowName: string,
    instanceId: string,
    options?: Preconditions,
  ): Promise<DeleteOutput>;
  /**
   * Sends an event, which is kept until a wait consumes it. One trip.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, INVALID_EVENT_TYPE,
   *   EVENT_UNDECLARED, INVALID_EVENT_PAYLOAD, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE,
   *   EVENT_ID_CONFLICT, EVENT_LIMIT, RUN_NUMBER_MISMATCH, STATUS_MISMATCH, INVALID_REQUEST, UNKNOWN_OPTION
   */
  sendEvent(workflowName: string, instanceId: string, event: SendEventInput): Promise<InstanceView>;
  /**
   * Reads the reply to an event, by the id that its sender gave it.
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
   * Completes the `step.callback` of a token with a payload. Of several calls, only the first counts.
   *
   * @throws CALLBACK_DISABLED, CALLBACK_INVALID, CALLBACK_USED, CALLBACK_LATE, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE,
   *   EVENT_LIMIT
   */
  completeCallback(token: string, payload?: unknown): Promise<InstanceView>;
  /**
   * Checks that this engine has signed a token, used or not, without asking the database.
   *
   * @throws CALLBACK_DISABLED, CALLBACK_INVALID
   */
  verifyCallback(token: string): Promise<void>;
  /**
   * Lists the steps and events of a run.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND, INVALID_CURSOR, INVALID_REQUEST
   */
  listHistory(
    workflowName: string,
    instanceId: string,
    input: HistoryInput,
  ): Promise<HistoryOutput>;
  /**
   * Runs one bounded pass over what is due, at most 100 instances unless you give `maxInstances`: `await engine.tick({ deadline: Date.now()
   * + 20_000 })`. You can call it from many places at the same time. If `moreDue` is true, call it again; `nextWakeInMs` says when the
   * next work is due.
   *
   * @throws STORE_UNAVAILABLE
   */
  tick(input?: TickInput): Promise<TickOutput>;
}

/** The service without pages: what bindings and ticks need. */
export type CoreService = Omit<
  EngineService,
  "listInstances" | "listHistory" | keyof FindingService | keyof OverviewService | keyof BulkService
>;
