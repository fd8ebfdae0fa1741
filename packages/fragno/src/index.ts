/**
 * @module Durable workflows inside Fragno: services that compose in any transaction, routes, hooks, steps that write; and the
 * database adapter under them.
 */
export {
  NonRetryableError,
  RetryableError,
  WorkflowError,
  type ErrorCode,
} from "@escapement/engine";
export type {
  Bindings,
  InstanceStatus,
  InstanceView,
  ReceivedEvent,
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
export { createFragnoAdapter, type FragnoAdapter } from "./adapter/adapter.ts";
export { DbNow, dbNow } from "./adapter/db-now.ts";
export { FragnoAdapterError } from "./adapter/errors.ts";
export { hookSignal } from "./adapter/hooks/hook-run.ts";
export { createJitteredRetryPolicy } from "./adapter/retry-policy.ts";
export { sqlExpression } from "./adapter/sql-expression.ts";
export { defineWorkflow, WorkflowEntrypoint } from "./fragment/authoring.ts";
export type { WorkflowEnqueued } from "./fragment/config.ts";
export { createWorkflowsFragment, type WorkflowsFragment } from "./fragment/create-fragment.ts";
export { workflowsFragmentDefinition } from "./fragment/definition.ts";
export { selfCall, tickInProcess } from "./fragment/hooks.ts";
export { createDurableHooksProcessor, type DurableHooksProcessor } from "./fragment/processor.ts";
export { defaultFragnoRuntime } from "./fragment/runtime.ts";
export type { WorkflowsServices } from "./fragment/services/services.ts";
export type { StepTx, TxWorkflowStep as WorkflowStep } from "./fragment/step-tx.ts";
