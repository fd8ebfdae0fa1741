/**
 * Delivery of a topic's message to a run. The wait is an ordinary wait for an event. Its type contains a space, so nobody can send it by
 * hand, and the event is stored once per step.
 */
import type { EpochMs, EventRecord, JsonText } from "./model/records.ts";

/** The type of the event that carries a topic's message. */
export const toTopicEvent = (topic: string): string => `topic ${topic}`;

/** The event's id in the run: a step takes one message. */
export const toTopicEventId = (stepKey: string): string => `topic ${stepKey}`;

/** Whether an event of type `toTopicEvent` is for this step. */
export const isForStep = ({ eventId }: Pick<EventRecord, "eventId">, stepKey: string): boolean =>
  eventId === toTopicEventId(stepKey);

/** A message as it is stored: JSON text around the payload's own text. @param id the sender's own id */
export const toMessageText = (id: string | null, payload: JsonText | null): JsonText =>
  `{${[
    ...(id === null ? [] : [`"id":${JSON.stringify(id)}`]),
    ...(payload === null ? [] : [`"payload":${payload}`]),
  ].join(",")}}`;

/** The message as a wait gets it: with its position in the topic. SQL does the same. */
export const withPosition = (message: JsonText, sequence: number): JsonText =>
  `{"position":${sequence}${message === "{}" ? "" : ","}${message.slice(1)}`;

/** Where a wait looks for messages: from an instant on, or behind another message. */
export type Since = { readonly at: EpochMs } | { readonly after: number };

/** A message's position, for author code. It is text, because a number would be an instant. @param sequence of the message in its topic */
export const toPosition = (sequence: number): string => `#${sequence}`;

/** null: not made by `toPosition`. */
export function fromPosition(position: string): number | null {
  const sequence = /^#(?<digits>\d{1,15})$/.exec(position)?.groups?.["digits"];
  return sequence === undefined ? null : Number(sequence);
}

/** The text that an open wait keeps in its row until its cursor is written; null: messages from now on. */
export function toSinceText(since: Since | null): JsonText | null {
  if (since === null) return null;
  return "at" in since ? String(since.at) : JSON.stringify(toPosition(since.after));
}

/** @param text from `toSinceText` */
export function fromSinceText(text: JsonText | null): Since | null {
  if (text === null) return null;
  const since = JSON.parse(text) as number | string;
  return typeof since === "number" ? { at: since } : { after: fromPosition(since) ?? 0 };
}
