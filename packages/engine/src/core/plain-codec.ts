/**
 * Values that JSON keeps, as text and back. Runs begin with this; `codec.ts`, which knows every value, is loaded when a run
 * comes to one that it takes.
 */
import { attempt } from "./attempt.ts";
import type { JsonText } from "./model/records.ts";
import { isPlain, TAG } from "./plain-values.ts";

/**
 * Encodes a value that JSON keeps; `undefined` becomes null (SQL NULL), which decodes to `undefined` again.
 *
 * @returns undefined: JSON would not keep it, or it is more than `maxBytes` of UTF-8
 */
export function encodePlain(value: unknown, maxBytes: number): JsonText | null | undefined {
  if (value === undefined) return null;
  const text = attempt(() => (isPlain(value) ? JSON.stringify(value) : undefined), undefined);
  return text === undefined || utf8Size(text) > maxBytes ? undefined : text;
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
