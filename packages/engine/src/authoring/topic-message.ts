/** A message at the door: validated, encoded, and with an id that may be one. */
import { encodeJson } from "../core/codec.ts";
import type { Limits } from "../core/limits.ts";
import type { MessageEmitted } from "../core/model/change.ts";
import { parseIdempotencyKey } from "../core/request-ids.ts";
import { toMessageText } from "../core/topic.ts";
import type { Topic } from "./topic.ts";
import { validate } from "./validate.ts";

/** @throws {WorkflowError} INVALID_EVENT_PAYLOAD, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE */
export async function parseMessage(
  { name, schema }: Topic,
  payload: unknown,
  { id, limits }: { readonly id?: string; readonly limits: Limits },
): Promise<Pick<MessageEmitted, "messageId" | "message">> {
  const messageId = id === undefined ? null : parseIdempotencyKey(id);
  const what = `payload of a message to topic "${name}"`;
  const parsed = await validate(schema, payload, { code: "INVALID_EVENT_PAYLOAD", what });
  const text = encodeJson(parsed, { maxBytes: limits.maxEventPayloadBytes, what });
  return { messageId, message: toMessageText(messageId, text) };
}
