/** A message at the door: validated, encoded, and with an id that may be one. */
import { encodeJson } from "../core/codec.ts";
import type { Limits } from "../core/limits.ts";
import type { MessageEmitted } from "../core/model/change.ts";
import { parseIdempotencyKey } from "../core/request-ids.ts";
import { toMessageText } from "../core/topic.ts";
import type { Topic } from "./topic.ts";
import { validate, validateNow, type ValidateOptions } from "./validate.ts";

/** @throws {WorkflowError} INVALID_EVENT_PAYLOAD, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE */
export async function parseMessage(
  topic: Topic,
  payload: unknown,
  options: MessageOptions,
): Promise<ParsedMessage> {
  return encodeMessage(topic, await validate(topic.schema, payload, messageOf(topic)), options);
}

/**
 * As `parseMessage`, for where nothing can be awaited.
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
  what: `payload of a message to topic "${name}"`,
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
