/** Topics in memory: their messages, the waits that have not received one yet, and their delivery tasks. */
import { utf8Size } from "../../core/plain-codec.ts";
import { instanceKey } from "../../core/model/instance-key.ts";
import type { Commit, MessageEmitted } from "../../core/model/change.ts";
import type { RunRef } from "../../core/model/records.ts";
import { isTerminal } from "../../core/model/status.ts";
import { toMostMessages, TOPIC_CHUNK, TOPIC_PATIENCE_MS } from "../../core/topic.ts";
import { TOPIC_TASKS } from "../../core/engine-names.ts";
import type { TopicRetention } from "../../core/topic-retention.ts";
import {
  fromSinceText,
  type Since,
  toTopicEvent,
  toTopicEventId,
  withPosition,
} from "../../core/topic-event.ts";
import type {
  DeliverRequest,
  DeliverResult,
  DueWait,
  EmitRequest,
  EmitResult,
  ListWaitersRequest,
  TopicWaiter,
} from "../../ports/topics.ts";
import { wakeRun } from "./events.ts";
import type { MemoryMessage, MemoryTopic } from "./topic-state.ts";
import { type MemoryState, type MemoryStep, NEVER_CLAIMED, runKey, toRunRef } from "./state.ts";

function topicOf(state: MemoryState, name: string, rowId: string): MemoryTopic {
  const found = state.topics.get(name);
  if (found !== undefined) return found;
  const topic: MemoryTopic = { rowId, name, sequence: 0, messages: [], waits: new Map() };
  state.topics.set(name, topic);
  return topic;
}

export function emit(state: MemoryState, request: EmitRequest): EmitResult {
  const topic = topicOf(state, request.topic, request.topicRowId);
  const { maxCount } = request.retention;
  const isThere = topic.messages.some(({ rowId }) => rowId === request.messageRowId);
  const known = isThere ? undefined : findById(topic, request.messageId);
  const isFull = !isThere && countNeeded(topic) >= toMostMessages(maxCount);
  const kind = known !== undefined ? toKnown(known, request) : isFull ? "full" : "emitted";
  if (kind === "emitted" && !isThere)
    add(state, topic, { ...request, rowId: request.messageRowId });
  if (kind === "emitted") noteTask(state, topic, request.isDelivering ? TOPIC_PATIENCE_MS : 0);
  return { kind, sequence: topic.sequence, due: dueOf(topic, topic.sequence) };
}

/** Counts the messages that waits have not received yet. */
function countNeeded({ messages, waits }: MemoryTopic): number {
  const least = leastPlace(waits);
  return messages.filter(({ sequence }) => sequence > least).length;
}

/** Infinity: there are no waits. */
const leastPlace = (waits: MemoryTopic["waits"]): number =>
  Math.min(Infinity, ...[...waits.values()].map(({ sequence }) => sequence));

const toKnown = (known: MemoryMessage, { message }: EmitRequest): "duplicate" | "conflict" =>
  known.message === message ? "duplicate" : "conflict";

const findById = ({ messages }: MemoryTopic, id: string | null): MemoryMessage | undefined =>
  id === null ? undefined : messages.find(({ messageId }) => messageId === id);

function add(
  state: MemoryState,
  topic: MemoryTopic,
  added: Pick<MessageEmitted, "rowId" | "messageId" | "message" | "retention">,
): void {
  const { rowId, messageId, message, retention } = added;
  topic.sequence += 1;
  const { sequence } = topic;
  const sizeBytes = utf8Size(message);
  const createdAt = state.now();
  topic.messages = [
    ...topic.messages,
    { rowId, sequence, messageId, message, sizeBytes, createdAt },
  ];
  trim(state, topic, retention);
}

/** Keeps messages that a wait has not received yet, and the last one. */
function trim(state: MemoryState, topic: MemoryTopic, retention: TopicRetention): void {
  const { maxCount, maxBytes, maxAgeMs } = retention;
  const least = leastPlace(topic.waits);
  let bytes = 0;
  const kept = topic.messages.toReversed().filter(({ sequence, createdAt, sizeBytes }) => {
    bytes += sizeBytes;
    const isOld = createdAt < state.now() - maxAgeMs || sequence <= topic.sequence - maxCount;
    return sequence === topic.sequence || sequence > least || !(isOld || bytes > maxBytes);
  });
  topic.messages = kept.toReversed();
}

function noteTask(state: MemoryState, topic: MemoryTopic, dueInMs: number): void {
  if (dueOf(topic, topic.sequence).length === 0) return;
  const known = state.tasks.get(topic.rowId);
  const run = { workflowName: TOPIC_TASKS, instanceId: topic.name, runNumber: topic.sequence };
  const made = {
    id: topic.rowId,
    kind: "wake",
    runAt: state.now() + dueInMs,
    ...NEVER_CLAIMED,
  } as const;
  state.tasks.set(topic.rowId, { ...(known ?? made), run });
}

function dueOf({ waits, messages }: MemoryTopic, upTo: number): readonly DueWait[] {
  const due = [...waits.values()]
    .filter(({ sequence }) => sequence < upTo)
    .toSorted((a, b) => a.sequence - b.sequence || (a.id < b.id ? -1 : 1));
  return due.slice(0, TOPIC_CHUNK).map((wait) => {
    const message = messages.find(({ sequence }) => sequence > wait.sequence);
    return { id: wait.id, sizeBytes: message?.sizeBytes ?? 0 };
  });
}

export function deliver(
  state: MemoryState,
  { topic: name, waitIds, upTo }: DeliverRequest,
): DeliverResult {
  const topic = state.topics.get(name);
  if (topic === undefined) return { woke: [], due: [] };
  const woke = waitIds.flatMap((id) => handOver(state, topic, id));
  const due = dueOf(topic, upTo);
  const task = state.tasks.get(topic.rowId);
  if (task !== undefined && due.length === 0 && task.run.runNumber <= upTo)
    state.tasks.delete(task.id);
  else if (task !== undefined) {
    const until = state.now() + TOPIC_PATIENCE_MS;
    const isPending = task.status === "pending";
    state.tasks.set(task.id, {
      ...task,
      ...(isPending ? { runAt: until } : { lockedUntil: until }),
    });
  }
  return { woke, due };
}

/** Stores the event for an open wait of a run that has not ended, once per step. @returns the run, if that made it due */
function handOver(
  state: MemoryState,
  topic: MemoryTopic,
  id: string,
): readonly Pick<RunRef, "workflowName" | "instanceId">[] {
  const wait = topic.waits.get(id);
  const message = topic.messages.find(({ sequence }) => sequence > (wait?.sequence ?? Infinity));
  if (wait === undefined || message === undefined) return [];
  topic.waits.delete(id);
  const { run, stepKey } = wait;
  const instance = state.instances.get(instanceKey(run));
  const key = runKey(run);
  const step = state.steps.get(key)?.get(stepKey);
  const events = state.events.get(key) ?? [];
  const eventId = toTopicEventId(stepKey);
  const isOver =
    instance === undefined || instance.runNumber !== run.runNumber || isTerminal(instance.status);
  const isOpen = step?.id === id && step.status === "waiting";
  if (isOver || !isOpen || events.some((event) => event.eventId === eventId)) return [];
  state.sequence += 1;
  const type = toTopicEvent(topic.name);
  const { createdAt } = message;
  const payload = withPosition(message.message, message.sequence);
  const open = { deliveredAt: null, consumedByStepKey: null, reply: null };
  const event = { id, sequence: state.sequence, eventId, type, payload, createdAt, ...open };
  state.events.set(key, [...events, event]);
  return wakeRun(state, instance) === null ? [] : [toRunRef(instance)];
}

/** Applies a commit's changes to topics. Its messages come first, so that none of its own waits gets one of them. */
export function commitTopics(state: MemoryState, { run, changes }: Commit): void {
  for (const change of changes)
    if (change.kind === "messageEmitted") {
      const topic = topicOf(state, change.topic, change.topicRowId);
      if (topic.messages.some(({ rowId }) => rowId === change.rowId)) continue;
      if (findById(topic, change.messageId) === undefined) add(state, topic, change);
      noteTask(state, topic, 0);
    }
  for (const change of changes) {
    if (change.kind !== "step" || change.step.type !== "waitForTopic") continue;
    const { id, stepKey } = change.step;
    const step = state.steps.get(runKey(run))?.get(stepKey);
    // A loop may have removed the row in the commit that ends the wait.
    if (step === undefined) endWait(state, run, id);
    else if (step.id === id) noteWait(state, run, step);
  }
}

function noteWait(state: MemoryState, run: RunRef, step: MemoryStep): void {
  const name = step.waitEventType?.slice(toTopicEvent("").length) ?? "";
  if (step.status !== "waiting") return endWait(state, run, step.id);
  for (const other of state.topics.values()) if (other.name !== name) other.waits.delete(step.id);
  const topic = topicOf(state, name, step.id);
  if (topic.waits.has(step.id)) return;
  const since = fromSinceText(step.result);
  const sequence = placeOf(topic, since);
  topic.waits.set(step.id, { id: step.id, run: toRunRef(run), stepKey: step.stepKey, sequence });
  if (since !== null) handOver(state, topic, step.id);
}

/** A position after the last message is from another database: such a wait gets messages from now on. */
function placeOf({ messages, sequence }: MemoryTopic, since: Since | null): number {
  if (since === null) return sequence;
  if ("after" in since) return Math.min(since.after, sequence);
  const first = messages.find(({ createdAt }) => createdAt >= since.at);
  return first === undefined ? sequence : first.sequence - 1;
}

/** Ends a wait. A message that was delivered to it and not taken is for no other step. */
function endWait(state: MemoryState, run: RunRef, id: string): void {
  for (const { waits } of state.topics.values()) waits.delete(id);
  const events = state.events.get(runKey(run)) ?? [];
  const kept = events.filter((event) => event.id !== id || event.deliveredAt !== null);
  if (kept.length < events.length) state.events.set(runKey(run), kept);
}

export function listWaiters(
  state: MemoryState,
  { topic, limit }: ListWaitersRequest,
): readonly TopicWaiter[] {
  const waits = [...(state.topics.get(topic)?.waits.values() ?? [])];
  return waits
    .flatMap(({ id, run, stepKey }) => {
      const instance = state.instances.get(instanceKey(run));
      const step = state.steps.get(runKey(run))?.get(stepKey);
      const isOpen = step?.id === id && step.status === "waiting";
      const goesOn = instance?.runNumber === run.runNumber && !isTerminal(instance.status);
      return isOpen && goesOn ? [{ ...run, stepKey, wakeAt: step.wakeAt }] : [];
    })
    .slice(0, limit);
}
