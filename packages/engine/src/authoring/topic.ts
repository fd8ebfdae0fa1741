/** Topics: what they carry, and the steps that emit to them and wait for them. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { WorkflowError } from "../core/errors.ts";
import type { WorkflowDuration } from "../core/duration.ts";
import type { Limits } from "../core/limits.ts";
import { parseTopicName, type TopicRef } from "../core/topic.ts";
import type { EmitInput } from "../ports/topic-service.ts";

/** A topic: its name, and what its messages must be. */
export interface Topic<TPayload = unknown> {
  readonly name: string;
  /** null: messages are taken as they come. */
  readonly schema: StandardSchemaV1 | null;
  /** Never there: only the compiler looks at it. */
  readonly payload?: TPayload;
}

/** How a topic is declared. */
export interface TopicOptions<TSchema extends StandardSchemaV1> {
  /** Letters, digits, `_` and `-`, at most 100, not starting with `-`. */
  readonly name: string;
  /** Any Standard Schema: what is emitted is validated by it. @default messages are taken as they come */
  readonly schema?: TSchema;
}

/**
 * Declares a topic. Engines that emit to it, wait for it or serve it over HTTP are given it: `createEngine({ topics: [placed] })`.
 *
 * @returns its typed name, for `step.waitForTopic`, `step.emit` and `engine.emit`
 */
export function defineTopic<const TSchema extends StandardSchemaV1 = StandardSchemaV1>({
  name,
  schema,
}: TopicOptions<TSchema>): Topic<StandardSchemaV1.InferOutput<TSchema>> {
  return { name, schema: schema ?? null };
}

/** The topics of an engine, by name. */
export type TopicRegistry = ReadonlyMap<string, Topic>;

/** @throws {WorkflowError} INVALID_TOPIC — no name for one, or a name twice */
export function createTopicRegistry(topics: readonly Topic[], limits: Limits): TopicRegistry {
  const byName = new Map<string, Topic>();
  for (const topic of topics) {
    const name = parseTopicName(topic.name, limits);
    if (byName.has(name))
      throw new WorkflowError("INVALID_TOPIC", `topic "${name}" is declared twice`, { name });
    byName.set(name, topic);
  }
  return byName;
}

/** How a message is waited for. */
export interface WaitForTopicOptions {
  /** Milliseconds or text such as "7 days". @default 24 hours @minimum 1 second @maximum 365 days */
  readonly timeout?: WorkflowDuration;
  /**
   * Which messages count: those emitted once the wait is recorded, or those emitted at an instant or later that the topic
   * still keeps. `event.timestamp`: none since the instance was created is missed.
   *
   * @default "now"
   */
  readonly since?: "now" | Date | number;
}

/** A message as a step gets it. */
export interface TopicMessage<TPayload> {
  readonly topic: string;
  readonly payload: Readonly<TPayload>;
  /** When it was emitted, by the database's clock. */
  readonly timestamp: Date;
  /** The id that its sender gave it; absent: none. */
  readonly id?: string;
}

/** Steps that wait for topics and emit to them. */
export interface TopicSteps {
  /**
   * Waits for the next message of a topic. Every run that waits gets it, once.
   *
   * @throws {WorkflowError} EVENT_TIMEOUT; TOPIC_NOT_FOUND, INVALID_DURATION, INVALID_REQUEST, INVALID_STEP_NAME, UNKNOWN_OPTION
   */
  waitForTopic<TPayload = unknown>(
    name: string,
    topic: TopicRef<TPayload>,
    options?: WaitForTopicOptions,
  ): Promise<TopicMessage<TPayload>>;
  /**
   * Emits a message to all runs that wait for the topic, in the commit that records the step. The step's name is the topic's.
   *
   * @throws {WorkflowError} TOPIC_NOT_FOUND, INVALID_EVENT_PAYLOAD, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE,
   *   PAYLOAD_TOO_LARGE, UNKNOWN_OPTION
   */
  emit<TPayload = unknown>(
    topic: TopicRef<TPayload>,
    payload?: NoInfer<TPayload>,
    options?: EmitInput,
  ): Promise<void>;
}
