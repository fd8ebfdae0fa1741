/** Values in messages. */

const MAX_LENGTH = 80;

/** A short text for any value. Never throws. */
export function showValue(value: unknown): string {
  const text = toText(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 3)}...` : text;
}

function toText(value: unknown): string {
  try {
    const isJson = typeof value === "string" || (typeof value === "object" && value !== null);
    return (isJson ? JSON.stringify(value) : undefined) ?? String(value);
  } catch {
    return typeof value === "bigint" ? String(value) : "a value that cannot be shown";
  }
}
