/** Topics: messages that go to all runs that wait for them (`topic-event.ts`). */
import { parseId, type Limits } from "./limits.ts";
import type { DurationMs } from "./model/records.ts";

/** A topic by its declaration, which types its messages; or by its name. */
export type TopicRef<TPayload = unknown> =
  | { readonly name: string; readonly payload?: TPayload }
  | string;

/** Waits that one trip hands messages to, at most. */
export const TOPIC_CHUNK = 500;

/** How long a topic is left to who is handing a message on, since the last trip. */
export const TOPIC_PATIENCE_MS: DurationMs = 10_000;

/** Letters, digits, `_` and `-`, as an event's type. @throws {WorkflowError} INVALID_TOPIC */
export const parseTopicName = (name: unknown, { maxEventTypeLength }: Limits): string =>
  parseId(name, { code: "INVALID_TOPIC", what: "topic name", maxLength: maxEventTypeLength });

/** Messages that a topic may hold which waits have yet to get. */
export const toMostMessages = (maxCount: number): number => 2 * maxCount;
