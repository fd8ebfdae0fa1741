/**
 * Shapes of what the HTTP API takes, as valibot schemas (each is a Standard Schema). Bodies are closed: an unknown field is an error, so
 * that a misspelt one is never silently ignored. Query strings are open, because proxies and hosts add their own parameters. The
 * shapes of answers are in `answer-shapes.ts`.
 */
import {
  array,
  exactOptional,
  nullable,
  object,
  picklist,
  pipe,
  strictObject,
  string,
  transform,
  unknown,
} from "valibot";
import type { EpochMs } from "../core/model/records.ts";
import { INSTANCE_STATUSES } from "../core/model/status.ts";
import type { HistoryInput, ListInstancesInput } from "../ports/instance-views.ts";
import type { GetInstanceOptions } from "../ports/service.ts";
import type { GetReplyOptions, SendEventInput } from "../ports/event-inputs.ts";
import type {
  CommandOptions,
  ForkOptions,
  Preconditions,
  RestartOrCreateInput,
  RewindOptions,
  UpdateOptions,
} from "../ports/command-options.ts";
import type {
  BatchInstance,
  CreateInstanceInput,
  RunOptions,
  StartInput,
} from "../ports/create-inputs.ts";
import type { CountInstancesInput, FindInstancesInput } from "../ports/finding-service.ts";
import type { TickInput } from "../ports/tick.ts";
import type { ReadProgressOptions } from "../ports/progress-service.ts";
import type { EmitInput, ListWaitersInput } from "../ports/topic-service.ts";
import {
  type Shape,
  flag,
  instant,
  duration,
  listOf,
  integer,
  toParent,
  toList,
  integerText,
} from "./value-shapes.ts";

/** The payload itself. */
export type CallbackBody = NonNullable<unknown> | null;
export interface CreateBatchBody {
  readonly instances: readonly InJson<BatchInstance>[];
}
/** The event; the preconditions are in the query. */
export type EventBody = Omit<SendEventInput, keyof Preconditions>;
/** The body of a create; the key is in a header. */
export type CreateBody = InJson<Omit<CreateInstanceInput, "idempotencyKey">>;
/** JSON has no dates. */
type InJson<T extends StartInput & RunOptions> = Omit<T, "startAt" | "deadlineAt"> & {
  readonly startAt?: EpochMs;
} & DeadlineInJson;
interface DeadlineInJson {
  readonly deadlineAt?: EpochMs | null;
}
/** The message, and its own id. */
export interface MessageBody extends EmitInput {
  readonly payload?: unknown;
}
export type WaitersQuery = ListWaitersInput;
/** `once`: a stream ends with its first entries. */
export interface ProgressQuery extends Pick<ReadProgressOptions, "after" | "limit" | "waitMs"> {
  readonly once?: boolean;
}
export type WaitQuery = Pick<GetInstanceOptions, "waitMs">;
/** Lists are joined by commas, and instants are epoch milliseconds. */
export type FindQuery = FindInstancesInput;
export type CountQuery = CountInstancesInput;
export type ReplyQuery = Pick<GetReplyOptions, "waitMs" | "runNumber">;
/** What is demanded of the instance; statuses are joined by commas. */
export type PreconditionsQuery = Preconditions;
/** `rollback` is only for `terminate`, `newKeys` only for `restart`, `from` only for `retry`; other commands refuse them. */
export type ControlQuery = Omit<CommandOptions, "idempotencyKey">;
/** The body; the id is in the path, the run number in the query, the key in a header. */
export type RestartOrCreateBody = DeadlineInJson &
  Pick<RestartOrCreateInput, "params" | "ifStatus" | "deadline" | "tags" | "memo">;
/** The body; for the rest see `RestartOrCreateBody`. */
export type UpdateBody = DeadlineInJson &
  Pick<UpdateOptions, "ifStatus" | "deadline" | "tags" | "memo">;
/** The body; for the rest see `RestartOrCreateBody`. */
export interface RewindBody extends Pick<RewindOptions, "ifStatus"> {
  /** The key of the step. */
  readonly step: string;
}
export interface ForkBody extends RewindBody, Pick<ForkOptions, "id" | "params"> {}
export type TickLimits = Pick<TickInput, "maxInstances" | "maxSteps">;

const pageSize = integerText(1, 100);
const payloadsShown = picklist(["small", "full"]);
const positive = integer(1);

export const emptyShape: Shape<object> = object({});
export const anyShape: Shape<unknown> = unknown();
/** Any JSON; `parseShape` accepts a list too. */
export const callbackBody: Shape<CallbackBody> = anyShape as Shape<CallbackBody>;
export const waitersQuery: Shape<WaitersQuery> = object({
  limit: exactOptional(integerText(1, 1000)),
});

export const waitQuery: Shape<WaitQuery> = object({
  waitMs: exactOptional(integerText(0, 20_000)),
});
export const replyQuery: Shape<ReplyQuery> = object({
  waitMs: exactOptional(integerText(0, 20_000)),
  runNumber: exactOptional(integerText(1)),
});
export const listQuery: Shape<ListInstancesInput> = object({
  status: exactOptional(picklist(INSTANCE_STATUSES)),
  pageSize: exactOptional(pageSize),
  payloads: exactOptional(payloadsShown),
  cursor: exactOptional(string()),
});
/** Names, separated by commas. */
export const workflowNames: Shape<readonly string[]> = pipe(
  string(),
  transform(toList),
  array(string()),
);
const statuses = exactOptional(
  pipe(string(), transform(toList), array(picklist(INSTANCE_STATUSES))),
);
const ofWorkflows = { workflows: exactOptional(workflowNames), status: statuses };
const instancesQuery = {
  ...ofWorkflows,
  tag: exactOptional(string()),
  idPrefix: exactOptional(string()),
  errorCode: exactOptional(string()),
  createdFrom: exactOptional(instant),
  createdBefore: exactOptional(instant),
  updatedFrom: exactOptional(instant),
  updatedBefore: exactOptional(instant),
  parent: exactOptional(pipe(string(), transform(toParent))),
  stuck: exactOptional(flag),
};
export const findQuery: Shape<FindQuery> = object({
  ...instancesQuery,
  pageSize: exactOptional(pageSize),
  payloads: exactOptional(payloadsShown),
  cursor: exactOptional(string()),
});
export const countQuery: Shape<CountQuery> = object({
  ...instancesQuery,
  cap: exactOptional(integerText(1, 10_000)),
});
export const historyQuery: Shape<HistoryInput> = object({
  runNumber: exactOptional(integerText(1)),
  pageSize: exactOptional(integerText(1, 1000)),
  payloads: exactOptional(payloadsShown),
  cursor: exactOptional(string()),
});
export const tickQuery: Shape<TickLimits> = object({
  maxInstances: exactOptional(integerText(1)),
  maxSteps: exactOptional(integerText(1)),
});
const start = { startAt: exactOptional(integer(0)), delay: exactOptional(duration) };
const run = {
  deadline: exactOptional(nullable(duration)),
  deadlineAt: exactOptional(nullable(integer(0))),
  tags: exactOptional(array(string())),
  memo: exactOptional(unknown()),
};

export const createBody: Shape<CreateBody> = strictObject({
  id: exactOptional(string()),
  params: exactOptional(unknown()),
  ...start,
  ...run,
  onExisting: exactOptional(picklist(["error", "return"])),
});
export const createBatchBody: Shape<CreateBatchBody> = strictObject({
  instances: listOf(
    strictObject({ id: string(), params: exactOptional(unknown()), ...start, ...run }),
  ),
});
export const eventBody: Shape<EventBody> = strictObject({
  type: string(),
  payload: exactOptional(unknown()),
  eventId: exactOptional(string()),
});
export const messageBody: Shape<MessageBody> = strictObject({
  payload: exactOptional(unknown()),
  id: exactOptional(string()),
});
export const progressQuery: Shape<ProgressQuery> = object({
  after: exactOptional(integerText(0, 2_147_483_647)),
  limit: exactOptional(integerText(1, 1000)),
  waitMs: exactOptional(integerText(0, 20_000)),
  once: exactOptional(flag),
});
const preconditions = {
  ifRunNumber: exactOptional(integerText(1)),
  ifStatus: statuses,
};
export const preconditionsQuery: Shape<PreconditionsQuery> = object(preconditions);
export const controlQuery: Shape<ControlQuery> = object({
  ...preconditions,
  rollback: exactOptional(flag),
  newKeys: exactOptional(flag),
  from: exactOptional(string()),
});
const ifStatus = exactOptional(array(picklist(INSTANCE_STATUSES)));
export const restartOrCreateBody: Shape<RestartOrCreateBody> = strictObject({
  params: exactOptional(unknown()),
  ifStatus,
  ...run,
});
export const updateBody: Shape<UpdateBody> = strictObject({ ifStatus, ...run });
export const rewindBody: Shape<RewindBody> = strictObject({ step: string(), ifStatus });
export const forkBody: Shape<ForkBody> = strictObject({
  step: string(),
  ifStatus,
  id: exactOptional(string()),
  params: exactOptional(unknown()),
});
export const tickBody: Shape<TickLimits> = strictObject({
  maxInstances: exactOptional(positive),
  maxSteps: exactOptional(positive),
});
