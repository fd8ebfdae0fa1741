/**
 * Shapes of what the HTTP API takes and gives, as valibot schemas (each is a Standard Schema). Bodies are closed: an
 * unknown field is an error, so that a misspelt one is never silently ignored. Query strings are open, since proxies and
 * hosts add parameters of their own.
 */
import {
  array,
  boolean,
  check,
  exactOptional,
  lazy,
  literal,
  nullable,
  number,
  object,
  picklist,
  pipe,
  record,
  rawTransform,
  safeParse,
  strictObject,
  string,
  transform,
  unknown,
  type GenericSchema,
} from "valibot";
import type { DivergedStep, ErrorRecord } from "../core/model/records.ts";
import { MAX_ISSUES } from "./issues.ts";
import { INSTANCE_STATUSES } from "../core/model/status.ts";
import type {
  ControlOptions,
  CreateBatchOutput,
  CreateInstanceInput,
  EventView,
  HistoryInput,
  HistoryOutput,
  InstanceStatus,
  InstanceView,
  ListInstancesInput,
  ListInstancesOutput,
  SendEventInput,
  StepView,
  TickInput,
  TickOutput,
} from "../ports/service.ts";

/** A schema whose input is not known yet and whose output is `Output`. */
export type Shape<Output> = GenericSchema<unknown, Output>;

export interface WorkflowParams {
  readonly workflowName: string;
}
export interface InstanceParams extends WorkflowParams {
  readonly instanceId: string;
}
export interface CreateBatchBody {
  readonly instances: readonly { readonly id: string; readonly params?: unknown }[];
}
export type EventBody = SendEventInput;
/** What the body of a create may say; the key comes in a header. */
export type CreateBody = Omit<CreateInstanceInput, "idempotencyKey">;
export type ControlQuery = Pick<ControlOptions, "ifRunNumber">;
export type TickLimits = Pick<TickInput, "maxInstances" | "maxSteps">;
export interface WorkflowList {
  readonly workflows: readonly { readonly name: string }[];
}
export interface ControlOutput {
  readonly ok: true;
  readonly details: InstanceStatus;
}
export interface EventOutput {
  readonly status: InstanceStatus;
}

const pageSize = integerText(1, 100);
const payloadsShown = picklist(["small", "full"]);
const positive = integer(1);

export const emptyShape: Shape<object> = object({});
export const anyShape: Shape<unknown> = unknown();
export const workflowParams: Shape<WorkflowParams> = object({ workflowName: string() });
export const instanceParams: Shape<InstanceParams> = object({
  workflowName: string(),
  instanceId: string(),
});

export const listQuery: Shape<ListInstancesInput> = object({
  status: exactOptional(picklist(INSTANCE_STATUSES)),
  pageSize: exactOptional(pageSize),
  payloads: exactOptional(payloadsShown),
  cursor: exactOptional(string()),
});
export const historyQuery: Shape<HistoryInput> = object({
  runNumber: exactOptional(integerText(1)),
  pageSize: exactOptional(pageSize),
  payloads: exactOptional(payloadsShown),
  cursor: exactOptional(string()),
});
export const tickQuery: Shape<TickLimits> = object({
  maxInstances: exactOptional(integerText(1)),
  maxSteps: exactOptional(integerText(1)),
});

export const createBody: Shape<CreateBody> = strictObject({
  id: exactOptional(string()),
  params: exactOptional(unknown()),
  onExisting: exactOptional(picklist(["error", "return"])),
});
export const createBatchBody: Shape<CreateBatchBody> = strictObject({
  instances: listOf(strictObject({ id: string(), params: exactOptional(unknown()) })),
});
export const eventBody: Shape<EventBody> = strictObject({
  type: string(),
  payload: exactOptional(unknown()),
  eventId: exactOptional(string()),
});
export const controlQuery: Shape<ControlQuery> = object({
  ifRunNumber: exactOptional(integerText(1)),
});
export const tickBody: Shape<TickLimits> = strictObject({
  maxInstances: exactOptional(positive),
  maxSteps: exactOptional(positive),
});

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
  omittedBytes: exactOptional(number()),
});
export const instanceView: Shape<InstanceView> = strictObject({
  id: string(),
  details: instanceStatus,
});
export const stepView: Shape<StepView> = strictObject({
  name: string(),
  stepKey: string(),
  type: picklist(["do", "sleep", "waitForEvent"]),
  status: picklist(["pending", "running", "waiting", "completed", "errored"]),
  attempts: number(),
  lostAttempts: number(),
  maxAttempts: number(),
  timeoutMs: nullable(number()),
  nextRetryAt: nullable(number()),
  wakeAt: nullable(number()),
  waitEventType: nullable(string()),
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
export const createBatchOutput: Shape<CreateBatchOutput> = strictObject({
  instances: array(instanceView),
  skipped: array(string()),
});
export const controlOutput: Shape<ControlOutput> = strictObject({
  ok: literal(true),
  details: instanceStatus,
});
export const eventOutput: Shape<EventOutput> = strictObject({ status: instanceStatus });
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

/** A list whose members are looked at one after another, up to the first few that are wrong. */
function listOf<Member>(member: Shape<Member>): Shape<readonly Member[]> {
  return pipe(
    array(unknown()),
    rawTransform(({ dataset, addIssue, NEVER }): readonly Member[] => {
      const members: Member[] = [];
      let wrongCount = 0;
      for (const [key, value] of dataset.value.entries()) {
        const result = safeParse(member, value, { abortEarly: true });
        if (result.success) members.push(result.output);
        for (const { path = [], expected, message, received, input } of result.issues ?? []) {
          const place = {
            type: "array",
            origin: "value",
            input: dataset.value,
            key,
            value,
          } as const;
          addIssue({
            expected: expected ?? message,
            received,
            message,
            input,
            path: [place, ...path],
          });
          wrongCount += 1;
        }
        if (wrongCount >= MAX_ISSUES) break;
      }
      return wrongCount === 0 ? members : NEVER;
    }),
  );
}

/** A whole number in JSON; the check's message doubles as what error details and the reference call it. */
function integer(minimum: number): Shape<number> {
  const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= minimum;
  return pipe(number(), check(isWhole, `an integer of at least ${minimum}`));
}

/** A whole number in a query string: decimal digits only, so neither `1e3`, `0x10` nor ` 1`. */
function integerText(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Shape<number> {
  const words =
    maximum === Number.MAX_SAFE_INTEGER
      ? `an integer of at least ${minimum}`
      : `an integer from ${minimum} to ${maximum}`;
  const isWhole = (text: string): boolean =>
    /^\d{1,16}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
  return pipe(string(), check(isWhole, words), transform(Number));
}
