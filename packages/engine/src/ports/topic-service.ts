/** What an engine can be asked about topics. */
import type { EpochMs } from "../core/model/records.ts";
import type { TopicRef } from "../core/topic.ts";

/** How a message is emitted. */
export interface EmitInput {
  /**
   * The same id again, for as long as the topic keeps the message, emits nothing. 1–255 printable ASCII characters.
   *
   * @default each call is a message of its own
   */
  readonly id?: string;
}

/** What became of a message. */
export interface EmitOutput {
  /** The topic has a message of that id: nothing was emitted. */
  readonly duplicate: boolean;
  /** Waits that this call has handed the message to. */
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
  /** When it stops waiting; null: it does not. */
  readonly wakeAt: EpochMs | null;
}

/** Emitting to topics, and who waits for them. */
export interface TopicService {
  /**
   * Emits a message to every run that waits for the topic: each gets it once. One trip, and one more for each 500 runs.
   *
   * @throws TOPIC_NOT_FOUND, INVALID_EVENT_PAYLOAD, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, TOPIC_LIMIT,
   *   UNKNOWN_OPTION
   */
  emit<TPayload = unknown>(
    topic: TopicRef<TPayload>,
    payload?: NoInfer<TPayload>,
    options?: EmitInput,
  ): Promise<EmitOutput>;
  /** Runs that wait for a topic, those that have waited longest first. @throws TOPIC_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION */
  listWaiters(topic: TopicRef, options?: ListWaitersInput): Promise<readonly TopicWaiterView[]>;
}
