/** Topics: what they carry, and the steps that emit to them and wait for them. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { WorkflowError } from "../core/errors.ts";
import type { WorkflowDuration } from "../core/duration.ts";
import { toLimits } from "../core/default-limits.ts";
import { type Limits, parseId, type TextRule } from "../core/limits.ts";
import type { TopicRef, TopicTypes } from "../core/topic.ts";
import type { EmitArguments } from "../ports/topic-service.ts";
import { assertSchema } from "./assert-schema.ts";
import type { ReadonlyPayload } from "./events.ts";

/**
 * A topic: its name, and the schema of its messages.
 *
 * @typeParam TPayload what the schema returns, which waits get
 * @typeParam TInput what the schema takes, which is emitted
 */
export interface Topic<TPayload = unknown, TInput = TPayload> {
  readonly name: string;
  /** null: messages are not validated. */
  readonly schema: StandardSchemaV1 | null;
  /** Does not exist at run time; only for the compiler. */
  readonly types?: TopicTypes<TPayload, TInput>;
}

/** How to declare a topic. */
export interface TopicOptions<TSchema extends StandardSchemaV1> {
  /** Letters, digits, `_` and `-`, at most 100, not starting with `-`. */
  readonly name: string;
  /** Any Standard Schema, which validates what is emitted. @default messages are not validated */
  readonly schema?: TSchema;
}

/**
 * Declares a topic: `const placed = defineTopic({ name: "placed", schema: z.object({ id: z.string() }) })`. Pass it to every
 * engine that emits to it, waits for it or serves it over HTTP: `createEngine({ topics: [placed] })`.
 *
 * @returns the topic, for `step.waitForTopic`, `step.emit` and `engine.emit`
 */
export function defineTopic<const TSchema extends StandardSchemaV1 = StandardSchemaV1>({
  name,
  schema,
}: TopicOptions<TSchema>): Topic<
  StandardSchemaV1.InferOutput<TSchema>,
  StandardSchemaV1.InferInput<TSchema>
> {
  return { name, schema: schema ?? null };
}

/** The topics of an engine, as given, and the limits that their names are within. */
export interface GivenTopics {
  readonly topics: readonly Topic[];
  readonly limits: Partial<Limits>;
}

/** By name. `createEngine` does so at once. @throws {WorkflowError} INVALID_TOPIC — no name for one, or a name twice; WORKFLOW_INVALID — no schema in place of one */
export function createTopicRegistry({ topics, limits }: GivenTopics): ReadonlyMap<string, Topic> {
  const byName = new Map<string, Topic>();
  // A name is like an event's type.
  const rule: TextRule = {
    code: "INVALID_TOPIC",
    what: "topic name",
    maxLength: toLimits(limits).maxEventTypeLength,
  };
  for (const topic of topics) {
    const name = parseId(topic.name, rule);
    if (byName.has(name))
      throw new WorkflowError("INVALID_TOPIC", `topic "${name}" is declared twice`, { name });
    assertSchema(topic.schema, `schema of topic "${name}"`);
    byName.set(name, topic);
  }
  return byName;
}

/** How to wait for a message. */
export interface WaitForTopicOptions {
  /** Milliseconds or text such as "7 days". @default 24 hours @minimum 1 second @maximum 365 days */
  readonly timeout?: WorkflowDuration;
  /**
   * Which messages count. "now": those emitted after the wait is recorded. A point in time: those emitted then or later that
   * the topic still keeps. With `event.timestamp` you miss none since the instance was created. The `position` of a message of
   * this topic: those that came after it.
   *
   * @default "now"
   */
  readonly since?: Date | number | string;
}

/** A message as a step gets it. */
export interface TopicMessage<TPayload> {
  readonly topic: string;
  readonly payload: ReadonlyPayload<TPayload>;
  /** When it was emitted, by the database's clock. */
  readonly timestamp: Date;
  /**
   * Its place among the messages of the topic; pass it as `since`. Absent in messages that an engine without positions
   * received.
   */
  readonly position: string;
  /** The sender's own id, if it gave one. */
  readonly id?: string;
}

/** Steps that wait for topics and emit to them. */
export interface TopicSteps {
  /**
   * Waits for the next message of a topic: `const { payload } = await step.waitForTopic("price", priceChanged, { timeout: "1 day" })`.
   * Every run that waits gets it once.
   *
   * @throws {WorkflowError} EVENT_TIMEOUT — none came within `timeout`, by default 24 hours; TOPIC_NOT_FOUND, INVALID_DURATION, INVALID_REQUEST, INVALID_STEP_NAME,
   *   UNKNOWN_OPTION
   */
  waitForTopic<TPayload = unknown>(
    name: string,
    topic: TopicRef<TPayload, unknown>,
    options?: WaitForTopicOptions,
  ): Promise<TopicMessage<TPayload>>;
  /**
   * Emits a message to all runs that wait for the topic: `await step.emit(priceChanged, { cents: 500 })`. It is part of the commit that
   * records the step. The step has the name of the topic.
   *
   * @throws {WorkflowError} TOPIC_NOT_FOUND, INVALID_EVENT_PAYLOAD, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE,
   *   PAYLOAD_TOO_LARGE, UNKNOWN_OPTION
   */
  emit<TInput = unknown>(
    topic: TopicRef<unknown, TInput>,
    ...message: EmitArguments<TInput>
  ): Promise<void>;
}
