/** @module Emits to topics, and lists who waits for them. */
import type { Topic } from "../authoring/topic.ts";
import { findTopic, parseMessage, parseMessageNow } from "../authoring/topic-message.ts";
import { toLogFields, WorkflowError } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import { toRetention } from "../core/topic-retention.ts";
import { deliverMessages, type Handing } from "../run/deliver-topic.ts";
import type { HostContext } from "./context.ts";
import { parseWholeNumber } from "./fields.ts";
import type {
  EmitInput,
  EmitOutput,
  ListWaitersInput,
  TopicWaiterView,
} from "../ports/topic-service.ts";
import type { EmitRequest } from "../ports/topics.ts";

const EMIT_OPTIONS: Readonly<Record<keyof EmitInput, 1>> = { id: 1 };
const LIST_OPTIONS: Readonly<Record<keyof ListWaitersInput, 1>> = { limit: 1 };

/** How many waiters a list has by default. @source founding spec 004 */
const WAITERS = 256;
const MOST_WAITERS = 1000;

/** A message to emit. */
export interface Emitting {
  readonly topic: unknown;
  readonly payload: unknown;
  readonly options?: EmitInput | undefined;
}

/** Emits a message. In an open transaction, other processes deliver it after the commit. @throws as `EngineService.emit` */
export async function emit(
  context: HostContext,
  { topic: ref, payload, options = {} }: Emitting,
): Promise<EmitOutput> {
  assertKnownOptions("emit", options, EMIT_OPTIONS);
  const { store, limits, logger, isWithin = false } = context;
  const topic = findTopic(context, ref);
  const parsed = await parseMessage(topic, payload, { ...options, limits });
  const request = toEmitRequest(context, topic, parsed);
  const result = await store.emit({ ...request, isDelivering: !isWithin });
  if (result.kind === "full") throw topicLimit(topic.name, limits.maxTopicMessages);
  if (result.kind === "conflict") throw messageIdConflict(request);
  const isDuplicate = result.kind === "duplicate";
  if (isWithin || isDuplicate || result.due.length === 0) {
    if (isWithin) context.wake({ workflowName: "", instanceId: topic.name, reason: "event" });
    return { duplicate: isDuplicate, delivered: 0 };
  }
  const { due, sequence: upTo } = result;
  let delivered = 0;
  const onChunk: Handing["onChunk"] = ([woken], count) => {
    delivered += count;
    if (woken !== undefined) context.wake({ ...woken, reason: "event" });
  };
  // The message is stored, so a tick delivers what is not delivered here.
  await deliverMessages(store, { topic: topic.name, upTo, due, onChunk }).catch((error: unknown) =>
    logger.log("warn", "topic.undelivered", { topic: topic.name, ...toLogFields(error) }),
  );
  return { duplicate: false, delivered };
}

/**
 * Describes a message that is emitted in a caller's transaction. Other processes deliver it after the commit.
 *
 * @throws {WorkflowError} as `EngineService.emit`, and WORKFLOW_INVALID — the topic's schema validates asynchronously
 */
export function describeMessage(
  context: DescribingContext,
  { topic: ref, payload, options = {} }: Emitting,
): EmitRequest {
  assertKnownOptions("emit", options, EMIT_OPTIONS);
  const { limits } = context;
  const topic = findTopic(context, ref);
  const parsed = parseMessageNow(topic, payload, { ...options, limits });
  return { ...toEmitRequest(context, topic, parsed), isDelivering: false };
}

type DescribingContext = Pick<HostContext, "host" | "limits" | "topics">;

const toEmitRequest = (
  { host, limits }: DescribingContext,
  { name: topic }: Topic,
  parsed: Pick<EmitRequest, "messageId" | "message">,
): Omit<EmitRequest, "isDelivering"> => ({
  ...parsed,
  topic,
  topicRowId: host.newId(),
  messageRowId: host.newId(),
  retention: toRetention(limits),
});

/** The error of a topic that takes no more messages. */
export const topicLimit = (topic: string, maxTopicMessages: number): WorkflowError =>
  new WorkflowError(
    "TOPIC_LIMIT",
    `topic "${topic}" is full until the waiting runs have received their messages`,
    { topic, maxTopicMessages },
  );

/** The error of a message whose id another message of the topic has. */
export const messageIdConflict = ({
  topic,
  messageId,
}: Pick<EmitRequest, "topic" | "messageId">): WorkflowError =>
  new WorkflowError(
    "EVENT_ID_CONFLICT",
    `topic "${topic}" already has a message with the id "${messageId}" and another payload`,
    { topic, messageId },
  );

/** @throws as `EngineService.listWaiters` */
export async function listWaiters(
  context: HostContext,
  ref: unknown,
  options: ListWaitersInput = {},
): Promise<readonly TopicWaiterView[]> {
  assertKnownOptions("listWaiters", options, LIST_OPTIONS);
  const { name } = findTopic(context, ref);
  const { limit = WAITERS } = options;
  parseWholeNumber("limit", limit, { from: 1, to: MOST_WAITERS });
  const waiters = await context.store.listWaiters({ topic: name, limit });
  return waiters.map(({ workflowName, instanceId: id, runNumber, stepKey, wakeAt }) => ({
    workflowName,
    id,
    runNumber,
    stepKey,
    wakeAt,
  }));
}
