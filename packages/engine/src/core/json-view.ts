/** How a value that JSON has no form for is shown where JSON is all there is: in HTTP answers. */
import { toBase64 } from "./base64.ts";
import { toErrorRecord } from "./error-record.ts";

/**
 * JSON for readers, not for reading back: a BigInt, NaN and Infinity as text, Map as pairs, Set as a list, bytes in
 * base64, RegExp as text, an error as its record; Date and URL are text and undefined is left out as JSON has it.
 */
export const toJsonView = (value: unknown): string => JSON.stringify(value, show);

function show(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Map || value instanceof Set) return [...value];
  if (value instanceof RegExp) return String(value);
  if (value instanceof Error) return toErrorRecord(value);
  if (value instanceof ArrayBuffer) return toBase64(new Uint8Array(value));
  if (!ArrayBuffer.isView(value)) return value;
  return toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
}
