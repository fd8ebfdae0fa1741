/** Topics: messages that go to all runs that wait for them (`topic-event.ts`). */
import type { DurationMs } from "./model/records.ts";

/** A topic, by the declaration that types its messages, or by its name. */
export type TopicRef<TPayload = unknown> =
  | { readonly name: string; readonly types?: { readonly payload: TPayload } }
  | string;

/** The most waits that one trip delivers messages to. */
export const TOPIC_CHUNK = 500;

/** After its last trip, a process that delivers a topic's messages has this long before another one takes over. */
export const TOPIC_PATIENCE_MS: DurationMs = 10_000;

/** The most messages that a topic may hold, counting those that waits have not received yet. */
export const toMostMessages = (maxCount: number): number => 2 * maxCount;
