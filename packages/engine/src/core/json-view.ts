/** Values in HTTP answers, which can only contain JSON. */
import { toBase64 } from "./base64.ts";
import { toErrorRecord } from "./error-record.ts";

/**
 * JSON for readers; it cannot be read back. A BigInt, NaN and Infinity are text, a Map is a list of pairs, a Set is a list, bytes are
 * base64, a RegExp is text, and an error is its record. Date and URL are text and undefined is left out, as in JSON.
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
