/** Topics: messages that go to all runs that wait for them (`topic-event.ts`). */
import type { DurationMs } from "./model/records.ts";

/** What a topic carries, for the compiler. */
export interface TopicTypes<TPayload, TInput> {
  /** What its schema returns, which waits get. */
  readonly payload: TPayload;
  /** Takes what its schema takes, which is emitted. A method, so that a topic that takes more may stand for one that takes less. */
  input(message: TInput): void;
}

/** A topic, by the declaration that types its messages, or by its name. */
export type TopicRef<TPayload = unknown, TInput = TPayload> =
  | { readonly name: string; readonly types?: TopicTypes<TPayload, TInput> }
  | string;

/** The most waits that one trip delivers messages to. */
export const TOPIC_CHUNK = 500;

/** After its last trip, a process that delivers a topic's messages has this long before another one takes over. */
export const TOPIC_PATIENCE_MS: DurationMs = 10_000;

/** The most messages that a topic may hold, counting those that waits have not received yet. */
export const toMostMessages = (maxCount: number): number => 2 * maxCount;
