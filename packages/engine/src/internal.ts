/** @module What `@escapement/fragno` and `@escapement/otel` need of the engine beyond its public entries. No promise from one version to the next: all are published together. */
export type { AnyRegistry, RegisteredEvents, RegisteredParams } from "./authoring/bound-types.ts";
export type { ResultOptions, SentEvent } from "./authoring/bindings.ts";
export type {
  InputOf,
  OutputOf,
  ParamsOf,
  ResultOf,
  WorkflowOptions,
} from "./authoring/define-workflow.ts";
export type { RegisteredWorkflow } from "./authoring/registry.ts";
export { paramsOf } from "./authoring/declared.ts";
export type { InvokeSteps } from "./authoring/invoke.ts";
export type { ScopeSteps } from "./authoring/scopes.ts";
export type { RepeatableValues, ShieldedSteps, VersionedSteps } from "./authoring/step.ts";
export type { CallbackSteps } from "./authoring/callback.ts";
export type {
  DeclaredWait,
  EventData,
  EventSchemas,
  NoEvents,
  PayloadOf,
  ReceiveSteps,
  UndeclaredWait,
  WaitForEventOptions,
} from "./authoring/events.ts";
export type { UndoOptions } from "./authoring/step-options.ts";
export type { ProgressSteps } from "./authoring/progress.ts";
export type { TopicSteps } from "./authoring/topic.ts";
export { validateNow } from "./authoring/validate.ts";
export { type CallbackRef, toCallbackEvent } from "./core/callback.ts";
export { decodeJson } from "./core/codec.ts";
export { utf8Size } from "./core/plain-codec.ts";
export { decideCallback } from "./core/decide/callback.ts";
export { enclosingKeys, hasLeft } from "./core/enclosing-scopes.ts";
export { toStartsAt } from "./core/delayed-start.ts";
export {
  leavesChildren,
  LIFECYCLE,
  type LifecycleCommand,
  type StoreCommand,
  type Transition,
} from "./core/decide/lifecycle.ts";
export { type Command, decideCommand, dueAfter, toCommanded } from "./core/decide/command.ts";
export { type Conditions, mismatchOf, repetitionOf } from "./core/decide/demand.ts";
export { leaveChild } from "./core/decide/leave-child.ts";
export { unlessNever } from "./core/decide/park.ts";
export { findReopened, isClosedStep } from "./core/decide/reopen.ts";
export { refusalOfUpdate } from "./core/decide/update.ts";
export { planRewind, REWIND } from "./core/decide/rewind.ts";
export { asksFor } from "./core/event-types.ts";
export { parseDuration } from "./core/duration.ts";
export { assertInvariant, type ErrorDetails } from "./core/errors.ts";
export { statusOf } from "./core/error-codes.ts";
export { invalidField } from "./core/invalid-field.ts";
export { assertKnownOptions } from "./core/known-names.ts";
export type { Change, Commit, When } from "./core/model/change.ts";
export type { Limits } from "./core/limits.ts";
export { toCommitName } from "./core/model/commit-name.ts";
export type { InstanceRef } from "./core/model/instance-key.ts";
export type {
  DurationMs,
  EpochMs,
  ErrorRecord,
  EventRecord,
  InstanceRecord,
  JsonText,
  OnParentEnd,
  RunRef,
  StepRecord,
} from "./core/model/records.ts";
export { INSTANCE_STATUSES, isScope, isTerminal } from "./core/model/status.ts";
export { parseIdempotencyKey, parseInstanceId } from "./core/request-ids.ts";
export { answerError, refuseBrokenPath } from "./http/answer-error.ts";
export { refuseUnmatched, toErrorResponse } from "./http/answer.ts";
export {
  admitCall,
  type AdmittedCall,
  answerAdmitted,
  answerCall,
  type Call,
} from "./http/call.ts";
export { createRouteLookup } from "./http/find-route.ts";
export { DEFAULT_MOUNT_ROUTE } from "./http/mount.ts";
export { createShell, type Shell, warnOfUnguarded } from "./http/options.ts";
export { assertModest, type Bytes } from "./http/request-body.ts";
export { ROUTE_REFERENCE } from "./http/route-reference.ts";
export { COMMON_ERRORS } from "./http/reference-entry.ts";
export type { HttpRoute, Route } from "./http/route.ts";
export { listRoutes } from "./http/routes.ts";
export type { HttpRoutes, RouteName } from "./http/route-types.ts";
export { anyShape } from "./http/schemas.ts";
export { parseSecret } from "./http/secrets.ts";
export { callTick, createSignedCall, parseUrl, type TickRoute } from "./http/tick-call.ts";
export type {
  HistoryInput,
  HistoryOutput,
  ListInstancesInput,
  ListInstancesOutput,
  StepView,
} from "./ports/instance-views.ts";
export type { ReplyOutput, SendEventInput } from "./ports/event-inputs.ts";
export type {
  CommandOptions,
  ControlOptions,
  RestartOptions,
  RetryOptions,
  TerminateOptions,
  RewindOptions,
  RestartOrCreateInput,
  RestartOrCreateOutput,
  UpdateOptions,
} from "./ports/command-options.ts";
export type { CreateBatchOutput, CreateInstanceInput } from "./ports/create-inputs.ts";
export type { EmitArguments, EmitInput, EmitOutput } from "./ports/topic-service.ts";
export type { WakeHint } from "./ports/platform.ts";
export type { ReadProgressRequest } from "./ports/progress.ts";
export type { ReadProgressOptions, ReadProgressOutput } from "./ports/progress-service.ts";
export { PROGRESS_PAGE_BYTES, type ProgressRecord } from "./core/progress.ts";
export { parseProgressRange, toReadProgressOutput } from "./verbs/read-progress.ts";
export type { UpdateRequest } from "./ports/update.ts";
export { toMostMessages, type TopicRef } from "./core/topic.ts";
export type { ForkRequest, RewindDemand, RewindRequest } from "./ports/rewind.ts";
export type { Host } from "./ports/host.ts";
export type { TickInput } from "./ports/tick.ts";
export type { StepTransaction, StepWrites, TransactingStep } from "./ports/step-transaction.ts";
export type { Store } from "./ports/store.ts";
export { ITEM_BYTES } from "./ports/run-pages.ts";
export type { CallbackTarget } from "./ports/send-event.ts";
export type { NewInstance } from "./ports/create.ts";
export {
  type ListInstancesRequest,
  type Page,
  PAGE_BYTES,
  type PagePosition,
  type Shown,
} from "./ports/pages.ts";
export type { Signal } from "./process/signal.ts";
export { createWebHost } from "./process/web-host.ts";
export type { StepWrite } from "./core/model/change.ts";
export { TOPIC_TASKS } from "./core/engine-names.ts";
export { instanceKey } from "./core/model/instance-key.ts";
export type { ClaimedRun } from "./ports/claim.ts";
export type { Followed, ObservedEngine, Stamp, Telemetry } from "./run/telemetry.ts";
export type { StepTransactions } from "./run/other-table-writes.ts";
export { transactSteps } from "./run/with-other-tables/create.ts";
export { toWorkflowError } from "./stores/sql/apply-batch.ts";
export { MIGRATIONS, SCHEMA_VERSION } from "./stores/sql/migrations/generated.ts";
export { indexSetOf, toIndexSet } from "./stores/sql/migrations/index-set.ts";
export type { MigrationSet, VersionRow } from "./stores/sql/migrations/migration-set.ts";
export { loadIndexSet } from "./stores/sql/migrations/schema-state.ts";
export { toError, toEventRecord, toInstanceRecord } from "./stores/sql/records.ts";
export { COLUMN_NAMES, without } from "./stores/sql/columns.ts";
export { toStepRecord } from "./stores/sql/step-columns.ts";
export type { ErrorColumns, EventRow, InstanceRow, StepRow } from "./stores/sql/rows.ts";
export { toCreateBatch } from "./stores/sql/create-blind.ts";
export { toControlBatch, toInsertedEvent } from "./stores/sql/control.ts";
export { toLeavingStatements } from "./stores/sql/control-children.ts";
export { toRestartOrCreateBatch } from "./stores/sql/restart-or-create.ts";
export { toCallbackStatements } from "./stores/sql/send-callback.ts";
export { reopenSteps } from "./stores/sql/statements/reopen-steps.ts";
export { findWoken, wakeTask } from "./stores/sql/statements/send-event.ts";
export { toForkBatch, toRewindBatch } from "./stores/sql/rewind.ts";
export { toEmitBatch } from "./stores/sql/topics.ts";
export { toUpdateBatch } from "./stores/sql/update.ts";
export { createMigratedStore } from "./stores/sql/sql-store.ts";
export { query } from "./stores/sql/late-statements.ts";
export { toLocking } from "./stores/sql/locked.ts";
export { prepareRows, toStoreDialect } from "./stores/sql/run-statements.ts";
export type { RowsStatement } from "./stores/sql/statements/given-rows.ts";
export type { LeasedRow } from "./stores/sql/rows.ts";
export {
  isInstanceOfLease,
  LEASE_COLUMNS,
  leasedRows,
} from "./stores/sql/statements/leased-rows.ts";
export {
  EVENT,
  INSTANCE,
  MESSAGE,
  TASK,
  TOPIC,
  TOPIC_WAIT,
} from "./stores/sql/statements/tables.ts";
export { type AwaitResult, createBindings } from "./verbs/bindings.ts";
export {
  callbackLate,
  callbackUsed,
  encodeCallbackPayload,
  identifyCallback,
} from "./verbs/complete-callback.ts";
export type { HostContext } from "./verbs/context.ts";
export { assertBatchSize, describeInstance, splitRepeated } from "./verbs/create.ts";
export { describeMessage, messageIdConflict, topicLimit } from "./verbs/emit.ts";
export { hostEngine } from "./verbs/engine.ts";
export {
  parseHistoryPageSize,
  parsePayloadsShown,
  parseRunNumber,
  parseStatuses,
} from "./verbs/fields.ts";
export { toReplyOutput } from "./verbs/get-reply.ts";
export {
  type HistoryPosition,
  parseHistoryCursor,
  peekHistoryCursor,
  toHistoryOutput,
} from "./verbs/history-page.ts";
export {
  assertSameCreate,
  CREATE_OPTIONS,
  type IdentifiedCreate,
  identifyCreate,
} from "./verbs/idempotency.ts";
export { parseInstancesPage, toNextPage } from "./verbs/list.ts";
export { isRetryFrom, parseControlOptions, toStoreCommand } from "./verbs/manage.ts";
export {
  alreadyExists,
  commandKeyConflict,
  eventIdConflict,
  eventLimit,
  notFound,
  terminal,
  toRefusal,
} from "./verbs/refusals.ts";
export { keyOfInputs, parseRestartOrCreate } from "./verbs/restart-or-create.ts";
export {
  assertForked,
  describeFork,
  type IdentifiedFork,
  identifyFork,
  parseRetryFrom,
  parseRewind,
  type RetryFromInput,
  type Rewinding,
  toRewindError,
} from "./verbs/rewind.ts";
export { encodePayload, parseEvent, payloadOf, payloadSchema } from "./verbs/send-event.ts";
export { parseUpdate } from "./verbs/update.ts";
export { toInstanceView, toStepView } from "./verbs/views.ts";
