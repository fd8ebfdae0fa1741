/**
 * What brings a topic's message to a run: the wait is an ordinary wait for an event of a type that nobody can send by hand,
 * since types have no spaces, and the event is stored once for a step.
 */
import type { EpochMs, EventRecord, JsonText } from "./model/records.ts";

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

/** The message as a wait gets it: with its place among those of its topic. SQL does the same. */
export const withPosition = (message: JsonText, sequence: number): JsonText =>
  `{"position":${sequence}${message === "{}" ? "" : ","}${message.slice(1)}`;

/** Where a wait looks for messages: from an instant on, or behind another message. */
export type Since = { readonly at: EpochMs } | { readonly after: number };

/** A message's place as author code keeps it: no number, which would be an instant. @param sequence of the message in its topic */
export const toPosition = (sequence: number): string => `#${sequence}`;

/** null: it is none of `toPosition`. */
export function fromPosition(position: string): number | null {
  const sequence = /^#(?<digits>\d{1,15})$/.exec(position)?.groups?.["digits"];
  return sequence === undefined ? null : Number(sequence);
}

/** What an open wait keeps in its row until its cursor is written; null: messages from now on. */
export function toSinceText(since: Since | null): JsonText | null {
  if (since === null) return null;
  return "at" in since ? String(since.at) : JSON.stringify(toPosition(since.after));
}

/** @param text of `toSinceText` */
export function fromSinceText(text: JsonText | null): Since | null {
  if (text === null) return null;
  const since = JSON.parse(text) as number | string;
  return typeof since === "number" ? { at: since } : { after: fromPosition(since) ?? 0 };
}
