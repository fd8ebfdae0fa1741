/** @module Durable workflows inside Fragno: services that compose in anybody's transaction, routes, hooks, steps that write; and the database adapter under them. */
export {
  NonRetryableError,
  RetryableError,
  WorkflowError,
  type ErrorCode,
} from "@escapement/engine";
export type {
  Bindings,
  ClassRegistration,
  InstanceStatus,
  InstanceView,
  ReceivedEvent,
  ResultOptions,
  Workflow,
  WorkflowContext,
  WorkflowDefinition,
  WorkflowDuration,
  WorkflowEvent,
  WorkflowInstance,
  WorkflowInstanceCreateOptions,
  WorkflowInstanceCreateOptionsWithId,
  WorkflowsRegistry,
  WorkflowStepConfig,
} from "@escapement/engine";
export {
  createFragnoAdapter,
  type FragnoAdapter,
  type FragnoAdapterOptions,
} from "./adapter/adapter.ts";
export { DbNow, dbNow } from "./adapter/db-now.ts";
export { FragnoAdapterError } from "./adapter/errors.ts";
export { hookSignal } from "./adapter/hooks/hook-run.ts";
export type { DurableHooksOptions, ProcessOptions } from "./adapter/hooks/processor.ts";
export { FragnoVersionError } from "./adapter/library-version.ts";
export { createJitteredRetryPolicy, type JitteredRetryOptions } from "./adapter/retry-policy.ts";
export { installRuntimeShims } from "./adapter/runtime-shims.ts";
export { SqlExpression, sqlExpression } from "./adapter/sql-expression.ts";
export { NAMESPACE, workflowsSchema } from "./schema/workflows-schema.ts";
export { defineWorkflow, WorkflowEntrypoint } from "./fragment/authoring.ts";
export type {
  OnWorkflowEnqueued,
  WorkflowEnqueued,
  WorkflowsFragmentConfig,
  WorkflowsFragmentOptions,
} from "./fragment/config.ts";
export { createWorkflowsFragment, type WorkflowsFragment } from "./fragment/create-fragment.ts";
export { workflowsFragmentDefinition } from "./fragment/definition.ts";
export { WorkflowApiError } from "./fragment/errors.ts";
export {
  selfCall,
  type SelfCallOptions,
  tickInProcess,
  type WorkflowsHooks,
} from "./fragment/hooks.ts";
export {
  createDurableHooksProcessor,
  type DurableHooksProcessor,
  type ProcessResult,
} from "./fragment/processor.ts";
export type { WorkflowsRoutes } from "./fragment/clients/routes.ts";
export { defaultFragnoRuntime, type FragnoRuntime } from "./fragment/runtime.ts";
export type { WorkflowsServices } from "./fragment/services/services.ts";
export type {
  ServiceCalls,
  StepTx,
  StepTxConfig,
  TxWorkflowStep,
  TxWorkflowStep as WorkflowStep,
  WaitTxOptions,
} from "./fragment/step-tx.ts";
