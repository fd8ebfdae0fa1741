/**
 * Topics: messages that go to all runs that wait for them. The wait is an ordinary wait for an event of a type that nobody can
 * send by hand, since types have no spaces, and the event is stored once for a step.
 */
import { parseId, type Limits } from "./limits.ts";
import type { DurationMs, EventRecord, JsonText } from "./model/records.ts";

/** A topic by its declaration, which types its messages; or by its name. */
export type TopicRef<TPayload = unknown> =
  | { readonly name: string; readonly payload?: TPayload }
  | string;

/** In the place of a workflow's name: tasks that hand messages on. No workflow has an empty name. */
export const TOPIC_TASKS = "";

/** Waits that one trip hands messages to, at most. */
export const TOPIC_CHUNK = 500;

/** UTF-8 bytes of messages that one trip copies to waits, unless a single one is larger. */
export const TOPIC_CHUNK_BYTES = 8_388_608;

/** How long a topic is left to who is handing a message on, since the last trip. */
export const TOPIC_PATIENCE_MS: DurationMs = 10_000;

/** What a topic keeps of its messages; what a wait has yet to take is kept beyond that. */
export interface TopicRetention {
  readonly maxCount: number;
  /** UTF-8 bytes of payloads. */
  readonly maxBytes: number;
  readonly maxAgeMs: DurationMs;
}

/** What an engine says of it. */
export const toRetention = (limits: Limits): TopicRetention => ({
  maxCount: limits.maxTopicMessages,
  maxBytes: limits.maxTopicBytes,
  maxAgeMs: limits.maxTopicAgeMs,
});

/** Letters, digits, `_` and `-`, as an event's type. @throws {WorkflowError} INVALID_TOPIC */
export const parseTopicName = (name: unknown, { maxEventTypeLength }: Limits): string =>
  parseId(name, { code: "INVALID_TOPIC", what: "topic name", maxLength: maxEventTypeLength });

/** The type of the event that brings a topic's message. */
export const toTopicEvent = (topic: string): string => `topic ${topic}`;

/** Its id in the run: a step takes one message. */
export const toTopicEventId = (stepKey: string): string => `topic ${stepKey}`;

/** The message of an event of `toTopicEvent` that is for this step. */
export const isForStep = ({ eventId }: Pick<EventRecord, "eventId">, stepKey: string): boolean =>
  eventId === toTopicEventId(stepKey);

/** A message as it is stored: JSON text around the payload's own text. @param id that the sender gave */
export const toMessageText = (id: string | null, payload: JsonText | null): JsonText =>
  `{${[
    ...(id === null ? [] : [`"id":${JSON.stringify(id)}`]),
    ...(payload === null ? [] : [`"payload":${payload}`]),
  ].join(",")}}`;

/** What an open wait keeps in its row until its cursor is written; null: messages from now on. */
export const toSinceText = (sinceAt: number | null): JsonText | null =>
  sinceAt === null ? null : String(sinceAt);

/** @param text of `toSinceText` */
export const fromSinceText = (text: JsonText | null): number | null =>
  text === null ? null : Number(text);
