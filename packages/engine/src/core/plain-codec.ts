/**
 * Values that JSON keeps, as text and back. Runs begin with this; `codec.ts`, which knows every value, is loaded when a run
 * comes to one that it takes.
 */
import { attempt } from "./attempt.ts";
import { WorkflowError } from "./errors.ts";
import type { JsonText } from "./model/records.ts";
import { isPlain, TAG } from "./plain-values.ts";

export interface EncodeOptions {
  /** Largest size in UTF-8 bytes. */
  readonly maxBytes: number;
  /** What the value is, for the message: "step result", "params". */
  readonly what: string;
  /** Whether that is more than one thing. @default false */
  readonly isPlural?: boolean;
}

/**
 * Encodes a value that JSON keeps; `undefined` becomes null (SQL NULL), which decodes to `undefined` again.
 *
 * @returns undefined: JSON would not keep it
 * @throws {WorkflowError} PAYLOAD_TOO_LARGE — more than `maxBytes`
 */
export function encodePlain(value: unknown, options: EncodeOptions): JsonText | null | undefined {
  if (value === undefined) return null;
  const text = attempt(() => (isPlain(value) ? JSON.stringify(value) : undefined), undefined);
  return text === undefined ? undefined : boundText(text, options);
}

/** @throws {WorkflowError} PAYLOAD_TOO_LARGE */
export function boundText(
  text: JsonText,
  { what, maxBytes, isPlural = false }: EncodeOptions,
): JsonText {
  const sizeBytes = utf8Size(text);
  if (sizeBytes <= maxBytes) return text;
  throw new WorkflowError(
    "PAYLOAD_TOO_LARGE",
    `${what} ${isPlural ? "are" : "is"} ${sizeBytes} bytes of JSON, more than the limit of ${maxBytes}`,
    { what, sizeBytes, maxBytes },
  );
}

/** The value that a text stands for in which nothing is tagged. */
export const decodePlain = (text: JsonText | null): unknown =>
  text === null ? undefined : (JSON.parse(text) as unknown);

const QUOTED_TAG = JSON.stringify(TAG);

/** Whether a text may have a value that JSON has no form for. */
export const isTagged = (text: JsonText): boolean => text.includes(QUOTED_TAG);

/** Size in UTF-8 bytes; exact only when it could matter, as most texts are far below any limit. */
export function utf8Size(text: string): number {
  let size = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) size += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return size;
}
