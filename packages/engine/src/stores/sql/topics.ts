/** @module Topics on a database. Loaded with the first use. */
import type { Dialect } from "@escapement/db/client";
import { utf8Size } from "../../core/plain-codec.ts";
import { toMostMessages, TOPIC_PATIENCE_MS } from "../../core/topic.ts";
import type {
  DeliverRequest,
  DeliverResult,
  DueWait,
  EmitRequest,
  EmitResult,
  ListWaitersRequest,
  TopicWaiter,
} from "../../ports/topics.ts";
import { applyBatch, type SqlContext } from "./apply-batch.ts";
import { query, queryRows } from "./late-statements.ts";
import type { Query } from "./rows.ts";
import * as messages from "./statements/topic-messages.ts";
import * as waits from "./statements/topic-waits.ts";

interface EmittedRow {
  readonly sequence: number | string;
  readonly kind: EmitResult["kind"];
}

type EmitBatch = Readonly<
  Record<"topic" | "lock" | "message" | "count" | "trim" | "task", Query<never>>
>;

type Woken = DeliverResult["woke"][number];

const byCaller = (dialect: Dialect): string => messages.insertMessage(dialect, "caller");
const upToLast = (dialect: Dialect): string => messages.selectDue(dialect, "last");
const upToGiven = (dialect: Dialect): string => messages.selectDue(dialect, "given");

/** The statements that store a message. */
export function toEmitBatch(dialect: Dialect, request: EmitRequest): EmitBatch {
  const { topic, topicRowId, messageRowId: rowId, messageId, message, retention } = request;
  const { maxCount, maxBytes, maxAgeMs } = retention;
  const most = toMostMessages(maxCount);
  const dueInMs = request.isDelivering ? TOPIC_PATIENCE_MS : 0;
  return {
    topic: query(dialect, messages.insertTopic, topic, topicRowId),
    lock: query(dialect, messages.lockTopic, topic),
    message: query(dialect, byCaller, topic, rowId, messageId, message, utf8Size(message), most),
    count: query(dialect, messages.countMessage, topic, rowId),
    trim: query(dialect, messages.trimMessages, topic, maxCount, maxBytes, maxAgeMs),
    task: query(dialect, messages.insertTopicTask, topic, dueInMs),
  };
}

export async function emit(
  { database, dialect }: SqlContext,
  request: EmitRequest,
): Promise<EmitResult> {
  const { topic, messageRowId: rowId, messageId } = request;
  // A message without an id is compared with none.
  const message = messageId === null ? null : request.message;
  const { found, due } = await applyBatch(database, {
    ...toEmitBatch(dialect, request),
    found: query<EmittedRow>(dialect, messages.selectEmitted, topic, rowId, messageId, message),
    due: query<DueWait>(dialect, upToLast, topic),
  });
  const [{ kind, sequence } = { kind: "full", sequence: 0 } as const] = found;
  return { kind, sequence: Number(sequence), due };
}

export async function deliver(
  { database, dialect }: SqlContext,
  { topic, waitIds, upTo }: DeliverRequest,
): Promise<DeliverResult> {
  const rows = waitIds.map((id) => ({ id }));
  const { woke, due } = await applyBatch(database, {
    tasks: queryRows(dialect, waits.lockWaitTasks, rows),
    instances: queryRows(dialect, waits.lockWaitInstances, rows),
    events: queryRows(dialect, waits.insertTopicEvents, rows),
    woke: queryRows<Woken>(dialect, waits.wakeWaitTasks, rows),
    waits: queryRows(dialect, waits.deleteServedWaits, rows),
    keep: query(dialect, waits.keepTopicTask, topic),
    end: query(dialect, waits.deleteTopicTask, topic, upTo),
    due: query<DueWait>(dialect, upToGiven, topic, upTo),
  });
  return { woke, due };
}

export async function listWaiters(
  { database, dialect }: SqlContext,
  { topic, limit }: ListWaitersRequest,
): Promise<readonly TopicWaiter[]> {
  const { waiters } = await applyBatch(database, {
    waiters: query<TopicWaiter>(dialect, waits.listWaiters, topic, limit),
  });
  return waiters;
}
