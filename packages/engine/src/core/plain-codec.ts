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
  const text = attempt(() => isPlain(value) && JSON.stringify(value), false);
  return text && utf8Size(text) <= maxBytes ? text : undefined;
}

/** Decodes a text without tagged values. */
export const decodePlain = (text: JsonText | null): unknown =>
  text === null ? undefined : (JSON.parse(text) as unknown);

const QUOTED_TAG = JSON.stringify(TAG);

/** Whether a text may contain a value that JSON cannot represent. */
export const isTagged = (text: JsonText): boolean => text.includes(QUOTED_TAG);

/** The size in UTF-8 bytes. */
export const utf8Size = (text: string): number =>
  /[\u0080-\uffff]/.test(text) ? new TextEncoder().encode(text).length : text.length;
