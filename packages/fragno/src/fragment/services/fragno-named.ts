/**
 * Calls with the names, and mostly the forms, of Fragno's own workflows fragment, for code that was written against it. Statuses and
 * `runNumber` are those of the founding specification, and instants are epoch milliseconds.
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
   * Creates an instance, or restarts the one with the id, with its own params, and with the idempotency keys of the run before. To
   * restart it with other params, use `restartOrCreate`.
   *
   * @throws like createInstance except INSTANCE_ID_ALREADY_EXISTS, and UNKNOWN_OPTION
   */
  restartOrCreateInstance(
    this: TThis,
    workflowName: string,
    input: RestartOrCreateInstanceInput,
  ): TxResult<RestartOrCreateInstanceOutput>;
  /** `retry`, now or later, which also returns the step that runs again. @throws like retry, INVALID_REQUEST, UNKNOWN_OPTION */
  retryFailedStep(
    this: TThis,
    workflowName: string,
    instanceId: string,
    options?: RetryFailedStepOptions,
  ): TxResult<RetriedStep>;
  /** A page of a workflow's instances. @throws WORKFLOW_NOT_FOUND, INVALID_CURSOR, INVALID_REQUEST */
  listInstances(this: TThis, params: ListInstancesParams): TxResult<InstancesPage>;
  /** Data about an instance besides its status. @throws like getInstanceStatus */
  getInstanceMetadata(
    this: TThis,
    workflowName: string,
    instanceId: string,
  ): TxResult<InstanceMetadata>;
  /** The step of the current run that began last, without its result; undefined: none. @throws like getInstanceStatus */
  getInstanceCurrentStep(
    this: TThis,
    workflowName: string,
    instanceId: string,
  ): TxResult<CurrentStep | undefined>;
};
