/** @module Types of what methods return, for where you write one: `function show(instance: InstanceDescription)`. TypeScript names them in the declarations of your own exports; you seldom have to. */

// For workflow code.
export type { Callback } from "./authoring/callback.ts";
export type { StreamEntry } from "./authoring/progress.ts";
export type { ClassRegistration, WorkflowClass } from "./authoring/registry.ts";
export type { Attempted, Joined, RaceResult } from "./authoring/scopes.ts";

// For an engine.
export type { RestartedOrCreated } from "./authoring/bindings.ts";
export type { Explanation } from "./core/explain/explanation.ts";
export type { BulkPreview, BulkView, ListBulksOutput } from "./ports/bulk.ts";
export type { RestartOrCreateOutput } from "./ports/command-options.ts";
export type { CreateBatchOutput } from "./ports/create-inputs.ts";
export type { InstanceDescription } from "./ports/describe.ts";
export type { ReplyOutput } from "./ports/event-inputs.ts";
export type { CountInstancesOutput, FindInstancesOutput } from "./ports/finding-service.ts";
export type {
  HistoryOutput,
  InstanceStatus,
  InstanceView,
  ListInstancesOutput,
} from "./ports/instance-views.ts";
export type { LifecycleEvents } from "./ports/lifecycle.ts";
export type { MovedFamily } from "./ports/move.ts";
export type {
  ActivityOutput,
  ListCallbacksOutput,
  ListLeasesOutput,
} from "./ports/overview-service.ts";
export type { ReadProgressOutput } from "./ports/progress-service.ts";
export type { DeleteOutput } from "./ports/service.ts";
export type { EmitOutput, TopicWaiterView } from "./ports/topic-service.ts";
export type { TickOutput } from "./ports/tick.ts";
export type { RunningLoop } from "./process/loop.ts";
export type { NextWake } from "./process/next-wake.ts";
export type { EngineWithin } from "./verbs/within.ts";

// For stores and handlers.
export type { FetchHandler } from "./http/fetch-handler.ts";
export type { Store } from "./ports/store.ts";
export type { MigrateResult, MigrationPlan } from "./stores/sql/migrations/bring-to-version.ts";
