/**
 * What brings a topic's message to a run: the wait is an ordinary wait for an event of a type that nobody can send by hand,
 * since types have no spaces, and the event is stored once for a step.
 */
import type { EventRecord, JsonText } from "./model/records.ts";

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
