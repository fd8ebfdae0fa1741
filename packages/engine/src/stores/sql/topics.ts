/** @module Topics on a database. Loaded with the first of them. */
import type { Dialect, SqlValue } from "@escapement/db";
import { utf8Size } from "../../core/codec.ts";
import { TOPIC_PATIENCE_MS } from "../../core/topic.ts";
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
import type { Query } from "./rows.ts";
import { type PreparedRows, prepareRows } from "./statement-set.ts";
import type { RowsStatement } from "./statements/given-rows.ts";
import * as messages from "./statements/topic-messages.ts";
import * as waits from "./statements/topic-waits.ts";

interface EmittedRow {
  readonly sequence: number | string;
  readonly kind: EmitResult["kind"];
}

type EmitBatch = Readonly<
  Record<"topic" | "lock" | "message" | "count" | "trim" | "task", Query<never>>
>;

/** Messages that a topic may hold while waits have yet to get them. */
export const toMostMessages = (maxCount: number): number => 2 * maxCount;

type Woken = DeliverResult["woke"][number];

/** Texts are made once for a store. */
const texts = new WeakMap<Dialect, Map<(dialect: Dialect) => string, string>>();

/** @param text of a statement, which is made with its first use */
export function query<Row>(
  dialect: Dialect,
  text: (dialect: Dialect) => string,
  ...values: readonly SqlValue[]
): Query<Row> {
  const made = texts.get(dialect) ?? new Map<(dialect: Dialect) => string, string>();
  texts.set(dialect, made);
  const own = made.get(text) ?? text(dialect);
  made.set(text, own);
  return { text: own, values };
}

const overRows = new WeakMap<Dialect, Map<RowsStatement, PreparedRows<never>>>();

/** The same over rows; null: there are none. */
export function write<Row = never>(
  dialect: Dialect,
  statement: RowsStatement,
  rows: readonly object[],
): Query<Row> | null {
  if (rows.length === 0) return null;
  const made = overRows.get(dialect) ?? new Map<RowsStatement, PreparedRows<never>>();
  overRows.set(dialect, made);
  const one = made.get(statement) ?? prepareRows(dialect, statement);
  made.set(statement, one);
  return one(rows);
}

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
  const { found, due } = await applyBatch(database, {
    ...toEmitBatch(dialect, request),
    found: query<EmittedRow>(dialect, messages.selectEmitted, topic, rowId, messageId),
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
    tasks: write(dialect, waits.lockWaitTasks, rows),
    instances: write(dialect, waits.lockWaitInstances, rows),
    events: write(dialect, waits.insertTopicEvents, rows),
    woke: write<Woken>(dialect, waits.wakeWaitTasks, rows),
    waits: write(dialect, waits.deleteServedWaits, rows),
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
