/** Copies any value into plain JSON of a bounded size without ever throwing. Used to store objects from unknown code. */
import { attempt } from "./attempt.ts";
import { readField } from "./read-field.ts";
import { toStorableText } from "./storable-text.ts";

/** How many bytes of JSON may still be written. */
export interface JsonBudget {
  left: number;
}

const MAX_DEPTH = 5;
const MAX_ENTRIES = 100;
const MAX_STRING_BYTES = 4096;
const MAX_STACK_BYTES = 2048;
/** Quotes, colon and comma around a key or an item. */
const PUNCTUATION_BYTES = 6;

/** Names of fields whose values are likely to be credentials: the error of an HTTP client often contains its request. */
const SECRET_NAME =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie|.*(?:password|secret|token|api[-_]?key))$/iu;

/**
 * The longest prefix of a text whose JSON takes at most `maxBytes`, without characters that a store cannot hold. Its size is
 * taken from the budget.
 */
export function takeText(text: string, maxBytes: number, budget: JsonBudget): string {
  const allowed = Math.min(maxBytes, budget.left - 2);
  // Each code unit takes at least one byte.
  const storable = toStorableText(text.slice(0, Math.max(allowed, 0)));
  let size = 0;
  let end = 0;
  for (const character of storable) {
    const next = size + jsonSize(character);
    if (next > allowed) break;
    size = next;
    end += character.length;
  }
  budget.left -= size + 2;
  return storable.slice(0, end);
}

function jsonSize(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return "\b\t\n\f\r".includes(character) ? 2 : 6;
  if (code < 0x80) return character === '"' || character === "\\" ? 2 : 1;
  return code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/**
 * A plain JSON copy of any value; undefined for a value that has none. What does not fit is left out, secrets are masked, and
 * values that are not data become their type's name in brackets.
 */
export function copyJson(value: unknown, budget: JsonBudget): unknown {
  return copy(value, budget, []);
}

/** A plain JSON copy of an object's entries; null if there are none. */
export function copyFields(
  fields: readonly (readonly [string, unknown])[],
  budget: JsonBudget,
): Readonly<Record<string, unknown>> | null {
  const copied = copyEntries(fields, budget, []);
  return Object.keys(copied).length === 0 ? null : copied;
}

/** The names of an object's own enumerable fields. */
export const fieldNames = (source: object): readonly string[] =>
  attempt(() => Object.keys(source), []);

function copy(value: unknown, budget: JsonBudget, parents: readonly object[]): unknown {
  if (budget.left < 32) return undefined;
  if (typeof value === "object" && value !== null)
    return attempt(() => copyObject(value, budget, parents), undefined) ?? "[unreadable]";
  if (typeof value === "string") return takeText(value, MAX_STRING_BYTES, budget);
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)))
    return takeText(String(value), MAX_STRING_BYTES, budget);
  budget.left -= 24;
  // JSON has no negative zero.
  if (typeof value === "number") return value + 0;
  return typeof value === "boolean" || value === null ? value : undefined;
}

function copyObject(source: object, budget: JsonBudget, parents: readonly object[]): unknown {
  const inside = [...parents, source];
  budget.left -= 14;
  if (parents.includes(source)) return "[circular]";
  const text = attempt(() => (source as { toJSON?: () => unknown }).toJSON?.(), undefined);
  if (typeof text === "string") return takeText(text, MAX_STRING_BYTES, budget);
  if (Array.isArray(source)) return copyItems(source, budget, inside);
  if (source instanceof Error) return copyEntries(errorEntries(source), budget, inside);
  const prototype: unknown = Object.getPrototypeOf(source);
  const isOpaque = ArrayBuffer.isView(source) || Symbol.iterator in source;
  if (isOpaque || inside.length > MAX_DEPTH) {
    const name = prototype === null ? "Object" : String(readField(source.constructor, "name"));
    return takeText(`[${name}]`, 64, budget);
  }
  return copyEntries(entriesOf(source), budget, inside);
}

function copyItems(
  source: readonly unknown[],
  budget: JsonBudget,
  inside: readonly object[],
): unknown {
  if (inside.length > MAX_DEPTH) return "[Array]";
  const items: unknown[] = [];
  for (let index = 0; index < Math.min(source.length, MAX_ENTRIES); index += 1) {
    if (budget.left < 64) break;
    budget.left -= PUNCTUATION_BYTES;
    const item = attempt(() => source[index], null);
    items.push(copy(item, budget, inside) ?? null);
  }
  return items;
}

function copyEntries(
  entries: readonly (readonly [string, unknown])[],
  budget: JsonBudget,
  inside: readonly object[],
): Readonly<Record<string, unknown>> {
  const copied: [string, unknown][] = [];
  for (const [key, value] of entries) {
    if (budget.left < 64 || copied.length >= MAX_ENTRIES) break;
    budget.left -= PUNCTUATION_BYTES;
    const name = takeText(key, 256, budget);
    const isSecret = SECRET_NAME.test(key) && typeof value !== "number";
    const item = isSecret ? takeText("[redacted]", 16, budget) : copy(value, budget, inside);
    if (item !== undefined) copied.push([name, item]);
  }
  // Not by assignment, so that `__proto__` is a name like any other.
  return Object.fromEntries(copied);
}

const entriesOf = (source: object): readonly (readonly [string, unknown])[] =>
  fieldNames(source)
    .slice(0, MAX_ENTRIES)
    .map((key) => [key, readField(source, key)] as const);

const errorEntries = (error: Error): readonly (readonly [string, unknown])[] => {
  const stack = readField(error, "stack");
  return [
    ["name", readField(error, "name")],
    ["message", readField(error, "message")],
    ["stack", typeof stack === "string" ? stack.slice(0, MAX_STACK_BYTES) : undefined],
    ...entriesOf(error),
  ];
};
