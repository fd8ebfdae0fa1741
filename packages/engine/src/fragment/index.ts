/** @module Workflows as a Fragno fragment: services that compose in anybody's transaction, routes, hooks, steps that write. */
export { NonRetryableError, WorkflowError, type ErrorCode } from "../core/errors.ts";
export type { Bindings } from "../authoring/bound-types.ts";
export type { ClassRegistration, WorkflowsRegistry } from "../authoring/registry.ts";
export type { WorkflowContext, WorkflowDefinition } from "../authoring/define-workflow.ts";
export type {
  ResultOptions,
  Workflow,
  WorkflowInstance,
  WorkflowInstanceCreateOptions,
  WorkflowInstanceCreateOptionsWithId,
} from "../authoring/bindings.ts";
export type { ReceivedEvent, WorkflowEvent, WorkflowStepConfig } from "../authoring/step.ts";
export type { WorkflowDuration } from "../core/duration.ts";
export type { InstanceStatus, InstanceView } from "../ports/service.ts";
export { NAMESPACE, workflowsSchema } from "../schema/workflows-schema.ts";
export { defineWorkflow, WorkflowEntrypoint } from "./authoring.ts";
export type {
  OnWorkflowEnqueued,
  WorkflowEnqueued,
  WorkflowEnqueuedContext,
  WorkflowsFragmentConfig,
  WorkflowsFragmentOptions,
} from "./config.ts";
export { createWorkflowsFragment, type WorkflowsFragment } from "./create-fragment.ts";
export { workflowsFragmentDefinition } from "./definition.ts";
export { WorkflowApiError } from "./errors.ts";
export { selfCall, type SelfCallOptions, tickInProcess, type WorkflowsHooks } from "./hooks.ts";
export {
  createDurableHooksProcessor,
  type DurableHooksProcessor,
  type ProcessorOptions,
  type ProcessorResult,
} from "./processor.ts";
export type { WorkflowsRoutes } from "./clients/routes.ts";
export { defaultFragnoRuntime, type FragnoRuntime } from "./runtime.ts";
export type { WorkflowsServices } from "./services/services.ts";
export type {
  ServiceCalls,
  StepTx,
  StepTxConfig,
  TxWorkflowStep,
  TxWorkflowStep as WorkflowStep,
  WaitTxOptions,
} from "./step-tx.ts";
