/** @module Durable workflows for platforms that only tick: how to write workflows, and the engine that runs them. */
export type { Bindings } from "./authoring/bound-types.ts";
export type { WorkflowContext, WorkflowDefinition } from "./authoring/define-workflow.ts";
export { Loop } from "./authoring/loop.ts";
export { defineWorkflow, WorkflowEntrypoint } from "./authoring/define-workflow.ts";
export type {
  Workflow,
  WorkflowInstance,
  WorkflowInstanceCreateOptions,
  WorkflowInstanceCreateOptionsWithId,
} from "./authoring/bindings.ts";
export type { WorkflowsRegistry } from "./authoring/registry.ts";
export type { WorkflowEvent, WorkflowStep } from "./authoring/step.ts";
export type { ReceivedEvent } from "./authoring/events.ts";
export type { StepContext, WorkflowStepConfig } from "./authoring/step-options.ts";
export { defineTopic, type Topic } from "./authoring/topic.ts";
export { RetryableError } from "./authoring/retryable-error.ts";
export type { WorkflowDuration } from "./core/duration.ts";
export { WorkflowError } from "./core/errors.ts";
export { CancelledError, NonRetryableError, RollbackError } from "./core/author-errors.ts";
export type { ErrorCode } from "./core/error-codes.ts";
export { JoinError } from "./core/join-error.ts";
export { createEngine, type Engine } from "./verbs/engine.ts";
export type { EngineOptions } from "./verbs/engine-options.ts";
export { bearerAuth } from "./http/bearer-auth.ts";
export { createConsoleLogger } from "./process/console-logger.ts";
export type { Logger } from "./ports/logger.ts";
export type { Platform } from "./ports/platform.ts";
export type { EngineService } from "./ports/service.ts";
export type { CallersTransaction } from "./ports/transaction.ts";
// Exported through the entry of types, so that the compiler knows that entry wherever this one is imported, and finds names there.
export type { InstanceStatus, InstanceView, TickOutput } from "./types.ts";
