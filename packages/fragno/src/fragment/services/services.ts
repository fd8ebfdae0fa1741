/** The fragment's services. */
import type { TxResult } from "@fragno-dev/db";
import type { DatabaseServiceContext } from "@fragno-dev/db/fragment-definition-builder";
import {
  type CallbackRef,
  type CommandOptions,
  type ControlOptions,
  type CreateBatchOutput,
  type EmitInput,
  type EmitOutput,
  type HistoryInput,
  type HistoryOutput,
  type IdentifiedCreate,
  type IdentifiedFork,
  type ReadProgressOutput,
  type LifecycleCommand,
  type ReplyOutput,
  type RestartOptions,
  type RestartOrCreateOutput,
  type RewindOptions,
  type SendEventInput,
  type TerminateOptions,
  type TopicRef,
  toStoreCommand,
  type UpdateOptions,
} from "@escapement/engine/internal";
import type { InstanceStatus, InstanceView } from "@escapement/engine";
import { workflowsSchema } from "../../schema/workflows-schema.ts";
import { inFragnosForm } from "../errors.ts";
import type { FragmentHost } from "../fragment-host.ts";
import type { WorkflowsHooks } from "../hooks.ts";
import { controlInstance } from "./control.ts";
import { createBatch, createInstance } from "./create.ts";
import { emit } from "./emit.ts";
import { forkInstance } from "./fork.ts";
import { createFragnoNamedServices, type FragnoNamedServices } from "./fragno-named.ts";
import type { ServiceScope } from "./operation.ts";
import { getInstanceStatus, listHistory } from "./read.ts";
import { getReply } from "./get-reply.ts";
import { type ProgressRange, readProgress } from "./read-progress.ts";
import { type IdentifiedRestartOrCreate, restartOrCreate } from "./restart-or-create.ts";
import { rewindInstance } from "./rewind.ts";
import { completeCallback, sendEvent } from "./send-event.ts";
import { updateInstance } from "./update.ts";

/** What `this` is in a service. */
export type ServiceThis = DatabaseServiceContext<WorkflowsHooks>;

/**
 * Calls for anybody's `withServiceCalls`, committed with the rest of that transaction. They validate at once, and throw
 * WorkflowErrors that any fragment's route answers with their code.
 */
export type WorkflowsServices = OwnServices & FragnoNamedServices<ServiceThis>;

type OwnServices = {
  /**
   * One trip: nothing is read, unless `onExisting` is "return".
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_PARAMS, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, INVALID_DURATION,
   *   INVALID_REQUEST, INSTANCE_ID_ALREADY_EXISTS; WORKFLOW_INVALID — the schema of the params validates asynchronously
   */
  createInstance(
    this: ServiceThis,
    workflowName: string,
    input?: IdentifiedCreate,
  ): TxResult<InstanceView>;
  /** Existing ids are skipped. @throws as createInstance but the last, and BATCH_TOO_LARGE */
  createBatch(
    this: ServiceThis,
    workflowName: string,
    instances: readonly (IdentifiedCreate & { readonly id: string })[],
  ): TxResult<CreateBatchOutput>;
  /** @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND */
  getInstanceStatus(
    this: ServiceThis,
    workflowName: string,
    instanceId: string,
  ): TxResult<InstanceStatus>;
  /** @throws as getInstanceStatus, INVALID_CURSOR, INVALID_REQUEST */
  listHistory(
    this: ServiceThis,
    workflowName: string,
    instanceId: string,
    input?: HistoryInput,
  ): TxResult<HistoryOutput>;
  /**
   * @throws as getInstanceStatus, INSTANCE_TERMINAL, INVALID_EVENT_TYPE, EVENT_UNDECLARED, INVALID_EVENT_PAYLOAD, INVALID_IDEMPOTENCY_KEY,
   *   NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, EVENT_ID_CONFLICT, EVENT_LIMIT
   */
  sendEvent(
    this: ServiceThis,
    workflowName: string,
    instanceId: string,
    event: SendEventInput,
  ): TxResult<InstanceStatus>;
  /**
   * What an event was answered with, by the id that its sender gave it; it does not wait.
   *
   * @throws as getInstanceStatus, INVALID_IDEMPOTENCY_KEY, EVENT_NOT_FOUND, EVENT_NOT_ANSWERED
   */
  getReply(
    this: ServiceThis,
    workflowName: string,
    instanceId: string,
    eventId: string,
  ): TxResult<ReplyOutput>;
  /**
   * The next entries of an instance's stream, those that are there; it does not wait.
   *
   * @throws as getInstanceStatus, INVALID_REQUEST, UNKNOWN_OPTION
   */
  readProgress(
    this: ServiceThis,
    workflowName: string,
    instanceId: string,
    options?: ProgressRange,
  ): TxResult<ReadProgressOutput>;
  /**
   * Gives the payload to a `step.callback`, named as its token names it. By the token itself the fragment's route and
   * `engine.completeCallback` do it.
   *
   * @param callback believed: who takes a token from outside has it verified first
   * @throws CALLBACK_USED, CALLBACK_LATE, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, EVENT_LIMIT
   */
  completeCallback(
    this: ServiceThis,
    callback: CallbackRef,
    payload?: unknown,
  ): TxResult<InstanceStatus>;
  /** At the next step boundary. @throws as getInstanceStatus, INSTANCE_TERMINAL, RUN_NUMBER_MISMATCH */
  pause: ControlService;
  /** Also takes back a pause that was not yet carried out. @throws as getInstanceStatus, RUN_NUMBER_MISMATCH */
  resume: ControlService;
  /** Its steps throw, its code may clean up, then it is terminated. @throws as getInstanceStatus, INSTANCE_TERMINAL, RUN_NUMBER_MISMATCH */
  cancel: ControlService;
  /** At once, or when what it has done is undone. @throws as getInstanceStatus, INSTANCE_TERMINAL, RUN_NUMBER_MISMATCH */
  terminate: ControlService<TerminateOptions>;
  /** Starts a new run; earlier runs are kept, and so are idempotency keys unless `newKeys` is said. @throws as getInstanceStatus, RUN_NUMBER_MISMATCH */
  restart: ControlService<RestartOptions>;
  /** Lets a run that failed go on from the steps that failed it. @throws as getInstanceStatus, INSTANCE_NOT_ERRORED, RUN_NUMBER_MISMATCH */
  retry: ControlService;
  /**
   * Brings the present run back to a step: it runs again from there.
   *
   * @param stepKey as history shows it
   * @throws as retry but INSTANCE_NOT_ERRORED, and STEP_NOT_FOUND, STEP_PASSED, RUN_UNDONE, STATUS_MISMATCH; TRANSACTION_UNUSABLE
   *   — on one of Fragno's own adapters
   */
  rewind(
    this: ServiceThis,
    workflowName: string,
    instanceId: string,
    stepKey: string,
    options?: RewindOptions,
  ): TxResult<InstanceStatus>;
  /**
   * Creates an instance that begins with a copy of the steps of this one before a step; the database copies them.
   *
   * @returns the new instance
   * @throws as rewind, and INVALID_PARAMS, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, INSTANCE_ID_ALREADY_EXISTS
   */
  fork(
    this: ServiceThis,
    workflowName: string,
    instanceId: string,
    stepKey: string,
    options?: IdentifiedFork,
  ): TxResult<InstanceView>;
  /**
   * Changes deadline, tags or memo. The answer shows no new deadline: its instant is known after the commit.
   *
   * @throws as getInstanceStatus, INSTANCE_TERMINAL, DEADLINE_EXCEEDED, RUN_NUMBER_MISMATCH, STATUS_MISMATCH, INVALID_REQUEST,
   *   INVALID_DURATION, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, UNKNOWN_OPTION; TRANSACTION_UNUSABLE — on one of Fragno's own adapters
   */
  update(
    this: ServiceThis,
    workflowName: string,
    instanceId: string,
    options: UpdateOptions,
  ): TxResult<InstanceStatus>;
  /**
   * Emits a message to every run that waits for the topic when the transaction commits. The next tick hands it on, so that
   * `delivered` is 0.
   *
   * @throws TOPIC_NOT_FOUND, INVALID_EVENT_PAYLOAD, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, TOPIC_LIMIT,
   *   UNKNOWN_OPTION; WORKFLOW_INVALID — the topic's schema validates asynchronously; TRANSACTION_UNUSABLE — on one of Fragno's own adapters
   */
  emit<TPayload = unknown>(
    this: ServiceThis,
    topic: TopicRef<TPayload>,
    payload?: NoInfer<TPayload>,
    options?: EmitInput,
  ): TxResult<EmitOutput>;
  /**
   * Creates an instance, or restarts the one that has the id with these params.
   *
   * @throws as createInstance but INSTANCE_ID_ALREADY_EXISTS
   */
  restartOrCreate(
    this: ServiceThis,
    workflowName: string,
    input: IdentifiedRestartOrCreate,
  ): TxResult<RestartOrCreateOutput>;
};

type ControlService<TOptions = ControlOptions> = (
  this: ServiceThis,
  workflowName: string,
  instanceId: string,
  options?: TOptions,
) => TxResult<InstanceStatus>;

export function createServices(host: FragmentHost): WorkflowsServices {
  const begin = (context: ServiceThis): ServiceScope => ({
    host,
    tx: context.serviceTx(workflowsSchema),
  });
  const own = createOwnServices(begin);
  return { ...own, ...createFragnoNamedServices(begin, own) };
}

function createOwnServices(begin: (context: ServiceThis) => ServiceScope): OwnServices {
  const control = (asked: LifecycleCommand): ControlService<CommandOptions> =>
    function (workflowName, instanceId, options = {}) {
      return inFragnosForm(() => {
        const command = toStoreCommand(asked, options);
        return controlInstance(begin(this), { workflowName, instanceId }, { ...options, command });
      });
    };
  return {
    createInstance(workflowName, input = {}) {
      return inFragnosForm(() => createInstance(begin(this), workflowName, input));
    },
    createBatch(workflowName, instances) {
      return inFragnosForm(() => createBatch(begin(this), workflowName, instances));
    },
    getInstanceStatus(workflowName, instanceId) {
      return inFragnosForm(() => getInstanceStatus(begin(this), { workflowName, instanceId }));
    },
    listHistory(workflowName, instanceId, input = {}) {
      return inFragnosForm(() => listHistory(begin(this), { workflowName, instanceId }, input));
    },
    sendEvent(workflowName, instanceId, event) {
      return inFragnosForm(() => sendEvent(begin(this), { workflowName, instanceId }, event));
    },
    getReply(workflowName, instanceId, eventId) {
      return inFragnosForm(() => getReply(begin(this), { workflowName, instanceId, eventId }));
    },
    readProgress(workflowName, instanceId, options = {}) {
      return inFragnosForm(() => readProgress(begin(this), { workflowName, instanceId }, options));
    },
    completeCallback(callback, payload) {
      return inFragnosForm(() => completeCallback(begin(this), callback, payload));
    },
    pause: control("pause"),
    resume: control("resume"),
    cancel: control("cancel"),
    terminate: control("terminate"),
    restart: control("restart"),
    retry: control("retry"),
    rewind(workflowName, instanceId, stepKey, options = {}) {
      const step = { workflowName, instanceId, stepKey };
      return inFragnosForm(() => rewindInstance(begin(this), step, options));
    },
    fork(workflowName, instanceId, stepKey, options = {}) {
      const step = { workflowName, instanceId, stepKey };
      return inFragnosForm(() => forkInstance(begin(this), step, options));
    },
    update(workflowName, instanceId, options) {
      return inFragnosForm(() =>
        updateInstance(begin(this), { workflowName, instanceId }, options),
      );
    },
    emit(topic, payload, options = {}) {
      return inFragnosForm(() => emit(begin(this), { topic, payload, options }));
    },
    restartOrCreate(workflowName, input) {
      return inFragnosForm(() => restartOrCreate(begin(this), workflowName, input));
    },
  };
}
