/** @module Durable workflows for platforms that only tick: what authors write, and the engine that hosts create. */
export type { Bindings } from "./authoring/bound-types.ts";
export type { WorkflowContext, WorkflowDefinition } from "./authoring/define-workflow.ts";
export { Loop } from "./authoring/loop.ts";
export type { Attempted } from "./authoring/scopes.ts";
export { defineWorkflow, WorkflowEntrypoint } from "./authoring/define-workflow.ts";
export type {
  Workflow,
  WorkflowInstance,
  WorkflowInstanceCreateOptions,
  WorkflowInstanceCreateOptionsWithId,
} from "./authoring/bindings.ts";
export type { WorkflowsRegistry } from "./authoring/registry.ts";
export type { WorkflowEvent, WorkflowStep } from "./authoring/step.ts";
export type { Callback } from "./authoring/callback.ts";
export type { ReceivedEvent } from "./authoring/events.ts";
export type { StepContext, WorkflowStepConfig } from "./authoring/step-options.ts";
export { defineTopic, type Topic } from "./authoring/topic.ts";
export { RetryableError } from "./authoring/retryable-error.ts";
export type { WorkflowDuration } from "./core/duration.ts";
export {
  CancelledError,
  NonRetryableError,
  RollbackError,
  WorkflowError,
  type ErrorCode,
} from "./core/errors.ts";
export { JoinError } from "./core/join-error.ts";
export { createEngine, type Engine, type EngineOptions } from "./verbs/engine.ts";
export { bearerAuth } from "./http/bearer-auth.ts";
export type { EngineWithin } from "./verbs/within.ts";
export { createConsoleLogger } from "./process/console-logger.ts";
export type { NextWake } from "./process/next-wake.ts";
export type { LifecycleEvents } from "./ports/lifecycle.ts";
export type { Logger } from "./ports/logger.ts";
export type { Platform } from "./ports/platform.ts";
export type { InstanceStatus, InstanceView } from "./ports/instance-views.ts";
export type { EngineService } from "./ports/service.ts";
export type { TickOutput } from "./ports/tick.ts";
export type { CallersTransaction } from "./ports/transaction.ts";
export type { RunningLoop } from "./process/loop.ts";
