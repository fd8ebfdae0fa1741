/** Shapes of the HTTP API's answers, as valibot schemas: for the reference, for tests and for Fragno. The handler does not need them. */
import {
  array,
  boolean,
  exactOptional,
  lazy,
  literal,
  nullable,
  number,
  picklist,
  record,
  strictObject,
  string,
  union,
  unknown,
} from "valibot";
import type { FailedAttempt } from "../core/failed-attempts.ts";
import type { WaitsFor } from "../core/waits-for.ts";
import type { DivergedStep, ErrorRecord } from "../core/model/records.ts";
import { INSTANCE_STATUSES, STEP_STATUSES, STEP_TYPES } from "../core/model/status.ts";
import type {
  EventView,
  HistoryOutput,
  InstanceStatus,
  InstanceView,
  ListInstancesOutput,
  StepView,
} from "../ports/instance-views.ts";
import type { CountInstancesOutput, FindInstancesOutput } from "../ports/finding-service.ts";
import type { DeleteOutput } from "../ports/service.ts";
import type { ReplyOutput } from "../ports/event-inputs.ts";
import type { RestartOrCreateOutput } from "../ports/command-options.ts";
import type { CreateBatchOutput } from "../ports/create-inputs.ts";
import type { TickOutput } from "../ports/tick.ts";
import type { Shape } from "./value-shapes.ts";
import type { ReadProgressOutput } from "../ports/progress-service.ts";
import type { EmitOutput, TopicWaiterView } from "../ports/topic-service.ts";

export interface WorkflowList {
  readonly workflows: readonly { readonly name: string }[];
}
export interface WaiterList {
  readonly waiters: readonly TopicWaiterView[];
}
export interface ControlOutput {
  readonly ok: true;
  readonly details: InstanceStatus;
}
export interface Done {
  readonly ok: true;
}
export interface EventOutput {
  readonly status: InstanceStatus;
}

export const errorRecord: Shape<ErrorRecord> = strictObject({
  name: string(),
  message: string(),
  code: nullable(string()),
  details: nullable(record(string(), unknown())),
  stack: nullable(string()),
  cause: nullable(lazy(() => errorRecord)),
});

export const divergedStep: Shape<DivergedStep> = strictObject({
  kind: picklist(["notCalled", "eventTypeChanged"]),
  stepKey: string(),
  recorded: nullable(string()),
  called: nullable(string()),
});
export const instanceStatus: Shape<InstanceStatus> = strictObject({
  status: picklist([...INSTANCE_STATUSES, "unknown"]),
  runNumber: number(),
  error: exactOptional(errorRecord),
  output: exactOptional(unknown()),
  diverged: exactOptional(array(divergedStep)),
  startsAt: exactOptional(number()),
  endRequested: exactOptional(picklist(["cancel", "rollback", "terminate", "deadline"])),
  parent: exactOptional(
    strictObject({
      workflowName: string(),
      instanceId: string(),
      runNumber: number(),
      stepKey: string(),
      onParentEnd: picklist(["abandon", "terminate", "rollback"]),
    }),
  ),
  forkedFrom: exactOptional(
    strictObject({ instanceId: string(), runNumber: number(), stepKey: string() }),
  ),
  retryCount: exactOptional(number()),
  deadlineAt: exactOptional(number()),
  tags: exactOptional(array(string())),
  memo: exactOptional(unknown()),
  omittedBytes: exactOptional(number()),
});
export const instanceView: Shape<InstanceView> = strictObject({
  id: string(),
  details: instanceStatus,
});
const instant = nullable(number());
export const waitsFor: Shape<WaitsFor> = union([
  strictObject({ kind: picklist(["time", "nextAttempt", "callback"]), until: instant }),
  strictObject({ kind: literal("event"), types: array(string()), until: instant }),
  strictObject({ kind: literal("topic"), topic: string(), until: instant }),
  strictObject({ kind: literal("child"), id: string(), until: instant }),
]);
export const failedAttempt: Shape<FailedAttempt> = strictObject({
  attempt: number(),
  startedAt: instant,
  endedAt: instant,
  runner: nullable(string()),
  error: nullable(strictObject({ name: string(), message: string() })),
});
export const stepView: Shape<StepView> = strictObject({
  name: string(),
  stepKey: string(),
  type: picklist([...STEP_TYPES]),
  status: picklist([...STEP_STATUSES]),
  attempts: number(),
  lostAttempts: number(),
  maxAttempts: number(),
  timeoutMs: nullable(number()),
  nextRetryAt: nullable(number()),
  wakeAt: nullable(number()),
  waitEventType: nullable(string()),
  waitsFor: nullable(waitsFor),
  attemptStartedAt: instant,
  runner: nullable(string()),
  failedAttempts: array(failedAttempt),
  result: unknown(),
  omittedBytes: exactOptional(number()),
  error: nullable(errorRecord),
  createdAt: number(),
  updatedAt: number(),
});
export const eventView: Shape<EventView> = strictObject({
  id: string(),
  type: string(),
  payload: unknown(),
  omittedBytes: exactOptional(number()),
  createdAt: number(),
  deliveredAt: nullable(number()),
  consumedByStepKey: nullable(string()),
});

export const workflowList: Shape<WorkflowList> = strictObject({
  workflows: array(strictObject({ name: string() })),
});
export const instanceList: Shape<ListInstancesOutput> = strictObject({
  instances: array(instanceView),
  cursor: exactOptional(string()),
  hasNextPage: boolean(),
});
export const foundInstances: Shape<FindInstancesOutput> = strictObject({
  instances: array(
    strictObject({
      id: string(),
      details: instanceStatus,
      workflowName: string(),
      createdAt: number(),
      startedAt: nullable(number()),
      completedAt: nullable(number()),
    }),
  ),
  cursor: exactOptional(string()),
  hasNextPage: boolean(),
  isIncomplete: boolean(),
});
export const instanceCounts: Shape<CountInstancesOutput> = strictObject({
  counts: array(
    strictObject({
      workflowName: string(),
      status: picklist(INSTANCE_STATUSES),
      count: number(),
      isCapped: boolean(),
    }),
  ),
});
export const createBatchOutput: Shape<CreateBatchOutput> = strictObject({
  instances: array(instanceView),
  skipped: array(string()),
});
export const controlOutput: Shape<ControlOutput> = strictObject({
  ok: literal(true),
  details: instanceStatus,
});
export const deleteOutput: Shape<DeleteOutput> = strictObject({ deletedCount: number() });
export const restartOrCreateOutput: Shape<RestartOrCreateOutput> = strictObject({
  id: string(),
  details: instanceStatus,
  outcome: picklist(["created", "restarted", "unchanged"]),
});
export const done: Shape<Done> = strictObject({ ok: literal(true) });
export const eventOutput: Shape<EventOutput> = strictObject({ status: instanceStatus });
export const replyOutput: Shape<ReplyOutput> = strictObject({
  answered: boolean(),
  reply: exactOptional(unknown()),
});
export const emitOutput: Shape<EmitOutput> = strictObject({
  duplicate: boolean(),
  delivered: number(),
});
export const waiterList: Shape<WaiterList> = strictObject({
  waiters: array(
    strictObject({
      workflowName: string(),
      id: string(),
      runNumber: number(),
      stepKey: string(),
      wakeAt: nullable(number()),
    }),
  ),
});
export const progressOutput: Shape<ReadProgressOutput> = strictObject({
  entries: array(
    strictObject({
      sequence: number(),
      value: unknown(),
      timestamp: number(),
      step: string(),
      attempt: nullable(number()),
      runNumber: number(),
    }),
  ),
  cursor: number(),
  missed: number(),
  ended: boolean(),
});
export const historyOutput: Shape<HistoryOutput> = strictObject({
  runNumber: number(),
  steps: array(stepView),
  events: array(eventView),
  cursor: exactOptional(string()),
  hasNextPage: boolean(),
});
export const tickOutput: Shape<TickOutput> = strictObject({
  processed: number(),
  steps: number(),
  moreDue: boolean(),
  nextWakeInMs: nullable(number()),
  nextWakeAt: nullable(number()),
  thenWakeAt: nullable(number()),
  quietMs: nullable(number()),
});
