/** Replies to events, as they are stored: JSON text around the value's own text, so that undefined is a reply too. */
import { decodeJson, encodeJson } from "./codec.ts";
import type { JsonText } from "./model/records.ts";

/** @throws {WorkflowError} NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE */
export function toReplyText(value: unknown, maxBytes: number): JsonText {
  const text = encodeJson(value, { maxBytes, what: "the reply to an event" });
  return text === null ? "{}" : `{"value":${text}}`;
}

export const fromReplyText = (text: JsonText): unknown =>
  (decodeJson(text) as { readonly value?: unknown }).value;
