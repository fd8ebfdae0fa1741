/** Checks a message that a caller emits: finds its topic, validates and encodes the payload, and parses the id. */
import { encodeJson } from "../core/codec.ts";
import { WorkflowError } from "../core/errors.ts";
import type { Limits } from "../core/limits.ts";
import type { MessageEmitted } from "../core/model/change.ts";
import { parseIdempotencyKey } from "../core/request-ids.ts";
import { toMessageText } from "../core/topic-event.ts";
import { createTopicRegistry, type GivenTopics, type Topic } from "./topic.ts";
import { validate, validateNow, type ValidateOptions } from "./validate.ts";

/** Per list of topics, because every message asks for one of them. */
const registries = new WeakMap<readonly Topic[], ReadonlyMap<string, Topic>>();

/** @param given whatever a caller gave @throws {WorkflowError} TOPIC_NOT_FOUND, and as `createTopicRegistry` */
export function findTopic(engine: GivenTopics, given: unknown): Topic {
  const registry = registries.get(engine.topics) ?? createTopicRegistry(engine);
  registries.set(engine.topics, registry);
  const name = typeof given === "object" && given !== null && "name" in given ? given.name : given;
  const topic = typeof name === "string" ? registry.get(name) : undefined;
  if (topic !== undefined) return topic;
  const shown = String(name).slice(0, 100);
  throw new WorkflowError("TOPIC_NOT_FOUND", `the engine has no topic "${shown}"`, {
    topic: shown,
  });
}

/** @throws {WorkflowError} INVALID_EVENT_PAYLOAD, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE */
export async function parseMessage(
  topic: Topic,
  payload: unknown,
  options: MessageOptions,
): Promise<ParsedMessage> {
  return encodeMessage(topic, await validate(topic.schema, payload, messageOf(topic)), options);
}

/**
 * Like `parseMessage`, for callers that cannot await.
 *
 * @throws {WorkflowError} also WORKFLOW_INVALID — the topic's schema validates asynchronously
 */
export const parseMessageNow = (
  topic: Topic,
  payload: unknown,
  options: MessageOptions,
): ParsedMessage =>
  encodeMessage(topic, validateNow(topic.schema, payload, messageOf(topic)), options);

interface MessageOptions {
  readonly id?: string;
  readonly limits: Limits;
}

type ParsedMessage = Pick<MessageEmitted, "messageId" | "message">;

const messageOf = ({ name }: Topic): ValidateOptions => ({
  code: "INVALID_EVENT_PAYLOAD",
  what: `the payload of a message to topic "${name}"`,
});

function encodeMessage(
  topic: Topic,
  payload: unknown,
  { id, limits }: MessageOptions,
): ParsedMessage {
  const messageId = id === undefined ? null : parseIdempotencyKey(id);
  const { what } = messageOf(topic);
  const text = encodeJson(payload, { maxBytes: limits.maxEventPayloadBytes, what });
  return { messageId, message: toMessageText(messageId, text) };
}
