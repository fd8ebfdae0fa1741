/** Page cursors: positions as opaque, URL-safe text. */
import { fromBase64 } from "./base64.ts";
import { toBase64Url } from "./base64-url.ts";
import { WorkflowError } from "./errors.ts";

/** Much longer than any cursor of ours. */
const MAX_LENGTH = 2000;

/**
 * Creates a cursor. `kind` is checked when the cursor comes back, so that one list refuses the cursor of another.
 */
export function toCursor(kind: string, position: Readonly<Record<string, unknown>>): string {
  const bytes = new TextEncoder().encode(JSON.stringify({ kind, ...position }));
  return toBase64Url(bytes);
}

/**
 * Reads the position from a cursor.
 *
 * @param kind null: any; the caller checks it later
 * @throws {WorkflowError} INVALID_CURSOR — not made by `toCursor` for this kind
 */
export function fromCursor(kind: string | null, cursor: string): Readonly<Record<string, unknown>> {
  const position = cursor.length <= MAX_LENGTH ? decode(cursor) : null;
  if (position !== null && (kind === null || position["kind"] === kind)) return position;
  throw new WorkflowError(
    "INVALID_CURSOR",
    "the cursor does not belong to this list; pass the previous page's cursor unchanged, or none",
    { kind },
  );
}

function decode(cursor: string): Readonly<Record<string, unknown>> | null {
  try {
    const bytes = fromBase64(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
