/** What an engine can be asked about topics. */
import type { EpochMs } from "../core/model/records.ts";
import type { TopicRef } from "../core/topic.ts";

/** How to emit a message. */
export interface EmitInput {
  /**
   * An id of the message. While the topic keeps the message, it is not emitted again, and `engine.emit` refuses another payload
   * with the same id; `step.emit` emits nothing. Payloads are compared as text: an object with its keys in another order is
   * another one. Once the topic no longer keeps the message, the id is free again. 1–255 printable ASCII characters.
   *
   * @default each call is another message
   */
  readonly id?: string;
}

/** What follows the topic: what its schema takes, which may be left out if it may be undefined, and options. */
export type EmitArguments<TInput> = undefined extends TInput
  ? [payload?: NoInfer<TInput>, options?: EmitInput]
  : [payload: NoInfer<TInput>, options?: EmitInput];

/** The result of emitting a message. */
export interface EmitOutput {
  /** The topic has this message already, with the same id, so nothing was emitted. */
  readonly duplicate: boolean;
  /** How many waits got the message by this call. */
  readonly delivered: number;
}

export interface ListWaitersInput {
  /** 1–1000. @default 256 */
  readonly limit?: number;
}

/** An instance that waits for a topic's next message. */
export interface TopicWaiterView {
  readonly workflowName: string;
  readonly id: string;
  readonly runNumber: number;
  readonly stepKey: string;
  /** When the wait ends; null: never. */
  readonly wakeAt: EpochMs | null;
}

/** Emits to topics, and lists who waits for them. */
export interface TopicService {
  /**
   * Emits a message to every run that waits for the topic. Each gets it once. One trip, and one more for each 500 runs.
   *
   * @throws TOPIC_NOT_FOUND, INVALID_EVENT_PAYLOAD, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE,
   *   EVENT_ID_CONFLICT, TOPIC_LIMIT, UNKNOWN_OPTION
   */
  emit<TInput = unknown>(
    topic: TopicRef<unknown, TInput>,
    ...message: EmitArguments<TInput>
  ): Promise<EmitOutput>;
  /**
   * Lists the runs that wait for a topic, those that have waited longest first. One trip, which looks at 4000 waits: runs that were
   * ended leave theirs until the next message.
   *
   * @throws TOPIC_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION
   */
  listWaiters(topic: TopicRef, options?: ListWaitersInput): Promise<readonly TopicWaiterView[]>;
}
