/** The fragment's services. */
import type { TxResult } from "@fragno-dev/db";
import type { DatabaseServiceContext } from "@fragno-dev/db/fragment-definition-builder";
import {
  type CallbackRef,
  type CommandOptions,
  type ControlOptions,
  type CreateBatchOutput,
  type EmitArguments,
  type EmitOutput,
  type HistoryInput,
  type HistoryOutput,
  type IdentifiedCreate,
  type IdentifiedFork,
  type ReadProgressOutput,
  type LifecycleCommand,
  type ReplyOutput,
  type RestartOptions,
  type RetryOptions,
  type RestartOrCreateOutput,
  type RewindOptions,
  type SendEventInput,
  type TerminateOptions,
  type TopicRef,
  isRetryFrom,
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
import type { Control, FragnoNamedServices } from "./fragno-named.ts";
import { getInstanceCurrentStep, getInstanceMetadata } from "./instance-facts.ts";
import { listInstances } from "./list-instances.ts";
import type { ServiceScope } from "./operation.ts";
import { getInstanceStatus, listHistory } from "./read.ts";
import { getReply } from "./get-reply.ts";
import { type ProgressRange, readProgress } from "./read-progress.ts";
import { type IdentifiedRestartOrCreate, restartOrCreate } from "./restart-or-create.ts";
import { restartOrCreateInstance } from "./restart-or-create-instance.ts";
import { retryFailedStep } from "./retry-failed-step.ts";
import { retryFrom, rewindInstance } from "./rewind.ts";
import { completeCallback, sendEvent } from "./send-event.ts";
import { updateInstance } from "./update.ts";

/** `this` in a service. */
export type ServiceThis = DatabaseServiceContext<WorkflowsHooks>;

/**
 * Service calls for `withServiceCalls` of any fragment, committed with the rest of its transaction. They validate at once,
 * and throw WorkflowErrors, which the route of any fragment answers with their code.
 */
export type WorkflowsServices = OwnServices & FragnoNamedServices<ServiceThis>;

type OwnServices = {
  /**
   * Creates an instance. One trip: nothing is read, unless `onExisting` is "return".
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_PARAMS, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, INVALID_DURATION,
   *   INVALID_REQUEST, INSTANCE_ID_ALREADY_EXISTS; WORKFLOW_INVALID — the schema of the params validates asynchronously
   */
  createInstance(
    this: ServiceThis,
    workflowName: string,
    input?: IdentifiedCreate,
  ): TxResult<InstanceView>;
  /** Creates many instances. Ids that exist are skipped. @throws as createInstance except the last, and BATCH_TOO_LARGE */
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
   * Reads the reply to an event, by the id that its sender gave it. Does not wait.
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
   * Reads the next entries of an instance's stream. Does not wait.
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
   * Completes a `step.callback` with a payload. It takes what the token names, not the token: for that, use the fragment's
   * route or `engine.completeCallback`.
   *
   * @param callback is not checked: if a token comes from outside, verify it first
   * @throws CALLBACK_USED, CALLBACK_LATE, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, EVENT_LIMIT
   */
  completeCallback(
    this: ServiceThis,
    callback: CallbackRef,
    payload?: unknown,
  ): TxResult<InstanceStatus>;
  /** Pauses at the next step boundary. @throws as getInstanceStatus, INSTANCE_TERMINAL, RUN_NUMBER_MISMATCH */
  pause: ControlService;
  /** Resumes, or cancels a pause that has not taken effect yet. @throws as getInstanceStatus, RUN_NUMBER_MISMATCH */
  resume: ControlService;
  /**
   * Asks the run to end: its steps throw, its code can clean up, then it is terminated.
   *
   * @throws as getInstanceStatus, INSTANCE_TERMINAL, RUN_NUMBER_MISMATCH
   */
  cancel: ControlService;
  /**
   * Ends the instance at once, or after undoing what it has done.
   *
   * @throws as getInstanceStatus, INSTANCE_TERMINAL, RUN_NUMBER_MISMATCH
   */
  terminate: ControlService<TerminateOptions>;
  /**
   * Starts a new run. Earlier runs are kept, and so are the idempotency keys, unless you set `newKeys`.
   *
   * @throws as getInstanceStatus, RUN_NUMBER_MISMATCH
   */
  restart: ControlService<RestartOptions>;
  /**
   * Continues a failed run from the steps that made it fail; with `from`, from that step, with the same idempotency keys.
   *
   * @throws as getInstanceStatus, INSTANCE_NOT_ERRORED, RUN_NUMBER_MISMATCH; with `from` also STEP_NOT_FOUND, STEP_PASSED,
   *   RUN_UNDONE, IDEMPOTENCY_KEY_CONFLICT
   */
  retry: ControlService<RetryOptions>;
  /**
   * Takes the current run back to a step: it runs again from there.
   *
   * @param stepKey as the history shows it
   * @throws as retry except INSTANCE_NOT_ERRORED, and STEP_NOT_FOUND, STEP_PASSED, RUN_UNDONE, STATUS_MISMATCH
   */
  rewind(
    this: ServiceThis,
    workflowName: string,
    instanceId: string,
    stepKey: string,
    options?: RewindOptions,
  ): TxResult<InstanceStatus>;
  /**
   * Creates an instance that begins with a copy of this one's steps before a step. The database copies them.
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
   * Changes deadline, tags or memo. The result has no new deadline, because it is known only after the commit.
   *
   * @throws as getInstanceStatus, INSTANCE_TERMINAL, DEADLINE_EXCEEDED, RUN_NUMBER_MISMATCH, STATUS_MISMATCH,
   *   INVALID_REQUEST, INVALID_DURATION, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, UNKNOWN_OPTION
   */
  update(
    this: ServiceThis,
    workflowName: string,
    instanceId: string,
    options: UpdateOptions,
  ): TxResult<InstanceStatus>;
  /**
   * Emits a message to every run that waits for the topic when the transaction commits. The next tick delivers it, so
   * `delivered` is 0.
   *
   * @throws TOPIC_NOT_FOUND, INVALID_EVENT_PAYLOAD, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE,
   *   TOPIC_LIMIT, UNKNOWN_OPTION; WORKFLOW_INVALID — the topic's schema validates asynchronously
   */
  emit<TInput = unknown>(
    this: ServiceThis,
    topic: TopicRef<unknown, TInput>,
    ...message: EmitArguments<TInput>
  ): TxResult<EmitOutput>;
  /**
   * Creates an instance, or restarts the one with this id with these params.
   *
   * @throws as createInstance except INSTANCE_ID_ALREADY_EXISTS
   */
  restartOrCreate(
    this: ServiceThis,
    workflowName: string,
    input: IdentifiedRestartOrCreate,
  ): TxResult<RestartOrCreateOutput>;
};

type ControlService<TOptions = ControlOptions> = Control<ServiceThis, TOptions>;

export function createServices(host: FragmentHost): WorkflowsServices {
  /** A service: it runs in a transaction of the fragment that calls it. */
  const serve = <TArgs extends readonly unknown[], TResult>(
    work: (scope: ServiceScope, ...args: TArgs) => TResult,
  ) =>
    function (this: ServiceThis, ...args: TArgs): TResult {
      return inFragnosForm(() => work({ host, tx: this.serviceTx(workflowsSchema) }, ...args));
    };
  const control = (command: LifecycleCommand): ControlService<CommandOptions> =>
    serve((scope, workflowName: string, instanceId: string, options: CommandOptions = {}) =>
      isRetryFrom(command, options)
        ? retryFrom(scope, workflowName, { ...options, id: instanceId })
        : controlInstance(
            scope,
            { workflowName, instanceId },
            { ...options, command: toStoreCommand(command, options) },
          ),
    );
  const [pause, resume] = [control("pause"), control("resume")];
  const [terminate, restart] = [control("terminate"), control("restart")];
  return {
    createInstance: serve(createInstance),
    createBatch: serve(createBatch),
    getInstanceStatus: serve(getInstanceStatus),
    listHistory: serve(listHistory),
    sendEvent: serve(sendEvent),
    getReply: serve(getReply),
    readProgress: serve(readProgress),
    completeCallback: serve(completeCallback),
    pause,
    resume,
    cancel: control("cancel"),
    terminate,
    restart,
    retry: control("retry"),
    rewind: serve(rewindInstance),
    fork: serve(forkInstance),
    update: serve(updateInstance),
    emit: serve(emit),
    restartOrCreate: serve(restartOrCreate),
    pauseInstance: pause,
    resumeInstance: resume,
    terminateInstance: terminate,
    restartInstance: restart,
    restartOrCreateInstance: serve(restartOrCreateInstance),
    retryFailedStep: serve(retryFailedStep),
    listInstances: serve(listInstances),
    getInstanceMetadata: serve(getInstanceMetadata),
    getInstanceCurrentStep: serve(getInstanceCurrentStep),
  };
}
