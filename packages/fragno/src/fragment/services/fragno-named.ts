/**
 * Calls under the names, and mostly in the shapes, that Fragno's own workflows fragment has for them: code that was written
 * against it finds them here. Statuses and `runNumber` are those of the founding specification, and instants are epoch milliseconds.
 *
 * @source `packages/fragment-workflows/src/definition.ts` of rejot-dev/fragno, read 2026-11
 */
import type { TxResult } from "@fragno-dev/db";
import type { ControlOptions, RestartOptions, TerminateOptions } from "@escapement/engine/internal";
import type { InstanceStatus } from "@escapement/engine";
import type { CurrentStep, InstanceMetadata } from "./instance-facts.ts";
import type { InstancesPage, ListInstancesParams } from "./list-instances.ts";
import type {
  RestartOrCreateInstanceInput,
  RestartOrCreateInstanceOutput,
} from "./restart-or-create-instance.ts";
import type { RetriedStep, RetryFailedStepOptions } from "./retry-failed-step.ts";

/** A command for one instance. */
export type Control<TThis, TOptions = ControlOptions> = (
  this: TThis,
  workflowName: string,
  instanceId: string,
  options?: TOptions,
) => TxResult<InstanceStatus>;

export type FragnoNamedServices<TThis> = {
  /** `pause`. */
  pauseInstance: Control<TThis>;
  /** `resume`. */
  resumeInstance: Control<TThis>;
  /** `terminate`. */
  terminateInstance: Control<TThis, TerminateOptions>;
  /** `restart`. */
  restartInstance: Control<TThis, RestartOptions>;
  /**
   * Creates an instance, or restarts the one that has the id, with the params that it has, under the idempotency keys of the run
   * before. To restart it with other params ask `restartOrCreate`.
   *
   * @throws as createInstance but INSTANCE_ID_ALREADY_EXISTS, and UNKNOWN_OPTION
   */
  restartOrCreateInstance(
    this: TThis,
    workflowName: string,
    input: RestartOrCreateInstanceInput,
  ): TxResult<RestartOrCreateInstanceOutput>;
  /** `retry`, at once or later, and what step it is that runs again. @throws as retry, INVALID_REQUEST, UNKNOWN_OPTION */
  retryFailedStep(
    this: TThis,
    workflowName: string,
    instanceId: string,
    options?: RetryFailedStepOptions,
  ): TxResult<RetriedStep>;
  /** A page of a workflow's instances. @throws WORKFLOW_NOT_FOUND, INVALID_CURSOR, INVALID_REQUEST */
  listInstances(this: TThis, params: ListInstancesParams): TxResult<InstancesPage>;
  /** What is known of an instance beside its status. @throws as getInstanceStatus */
  getInstanceMetadata(
    this: TThis,
    workflowName: string,
    instanceId: string,
  ): TxResult<InstanceMetadata>;
  /** The step of the present run that began last, without its result; undefined: there is none. @throws as getInstanceStatus */
  getInstanceCurrentStep(
    this: TThis,
    workflowName: string,
    instanceId: string,
  ): TxResult<CurrentStep | undefined>;
};
