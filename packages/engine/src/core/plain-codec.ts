/**
 * Values that JSON can represent, as text and back. Runs start with this codec. `codec.ts`, which handles every value, is loaded when a
 * run meets a value that needs it.
 */
import { attempt } from "./attempt.ts";
import type { JsonText } from "./model/records.ts";
import { isPlain, TAG } from "./plain-values.ts";

/**
 * Encodes a value that JSON can represent; `undefined` becomes null (SQL NULL), which decodes to `undefined` again.
 *
 * @returns undefined: JSON cannot represent it, or it is longer than `maxBytes` of UTF-8
 */
export function encodePlain(value: unknown, maxBytes: number): JsonText | null | undefined {
  if (value === undefined) return null;
  const text = attempt(() => (isPlain(value) ? JSON.stringify(value) : undefined), undefined);
  return text === undefined || utf8Size(text) > maxBytes ? undefined : text;
}

/** Decodes a text without tagged values. */
export const decodePlain = (text: JsonText | null): unknown =>
  text === null ? undefined : (JSON.parse(text) as unknown);

const QUOTED_TAG = JSON.stringify(TAG);

/** Whether a text may contain a value that JSON cannot represent. */
export const isTagged = (text: JsonText): boolean => text.includes(QUOTED_TAG);

/** The size in UTF-8 bytes; exact only when it could matter, because most texts are far below any limit. */
export function utf8Size(text: string): number {
  let size = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) size += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return size;
}
