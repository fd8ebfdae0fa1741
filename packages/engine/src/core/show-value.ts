/** Values in messages. */

const MAX_LENGTH = 80;

/** A short text for any value. Never throws. */
export function showValue(value: unknown): string {
  const text = toText(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 3)}...` : text;
}

/** The kind of a value, for messages: `a function`, `an array`. */
export function showKind(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function toText(value: unknown): string {
  try {
    const isJson = typeof value === "string" || (typeof value === "object" && value !== null);
    return (isJson ? JSON.stringify(value) : undefined) ?? String(value);
  } catch {
    return typeof value === "bigint" ? String(value) : "a value that cannot be shown";
  }
}
