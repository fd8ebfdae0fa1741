/** Values that JSON can represent, which most programs use. The others are in `rich-values.ts`. */

/** The key that marks a tagged value. */
export const TAG = "$escapement";

/** How deep objects may be nested. */
export const MAX_DEPTH = 1000;

/** Whether JSON can represent a value without loss. */
export function isPlain(value: unknown, depth: number = MAX_DEPTH): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return isJsonNumber(value);
  if (typeof value !== "object" || depth === 0) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1)
      if (!isPlain(value[index], depth - 1)) return false;
    return true;
  }
  if (!isPlainObject(value)) return false;
  for (const key of Object.keys(value))
    if (key === TAG || !isPlain((value as Record<string, unknown>)[key], depth - 1)) return false;
  return true;
}

export const isJsonNumber = (value: number): boolean =>
  Number.isFinite(value) && !Object.is(value, -0);

/** Whether an object is plain, from any realm: its prototype chain has only one `Object.prototype`, or nothing. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    Object.getPrototypeOf(prototype) === null
  );
}
