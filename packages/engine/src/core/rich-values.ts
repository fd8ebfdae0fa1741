/**
 * Values that JSON cannot represent, as tagged JSON: `{ "$escapement": "Date", "value": "2026-11-22T10:00:00.000Z" }`.
 *
 * An author's own object with the tag as a key is wrapped as well, so that data is never mistaken for a tag.
 */
import { fromBase64, toBase64 } from "./base64.ts";
import { attempt } from "./attempt.ts";
import { normalizeErrorRecord, toErrorRecord } from "./error-record.ts";
import { isJsonNumber, isPlainObject, MAX_DEPTH, TAG } from "./plain-values.ts";
import { rebuildError } from "./rebuild-error.ts";

/** A value that cannot be stored: its path, and what it is. */
export class Unserializable extends TypeError {
  readonly path: string;
  readonly problem: string;

  constructor(path: readonly (string | number)[], problem: string, cause?: unknown) {
    super(problem, { cause });
    this.path = ["$", ...path].join(".");
    this.problem = problem;
  }
}

const VIEWS = [
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
] as const;

type Path = (string | number)[];

/**
 * A tree that JSON can represent, for a value that it cannot.
 *
 * @throws {Unserializable} for what cannot be stored, with the path to it
 */
export function toTagged(
  value: unknown,
  path: Path = [],
  parents: readonly object[] = [],
): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return isJsonNumber(value) ? value : tagged("number", value === 0 ? "-0" : String(value));
    case "undefined":
      return { [TAG]: "undefined" };
    case "bigint":
      return tagged("BigInt", String(value));
    case "object":
      break;
    case "function":
    case "symbol":
      throw new Unserializable(path, `a ${typeof value}`);
  }
  if (value === null) return null;
  if (parents.includes(value)) throw new Unserializable(path, "a cycle");
  if (parents.length >= MAX_DEPTH) throw new Unserializable(path, "nested too deeply");
  try {
    return objectToTagged(value, path, [...parents, value]);
  } catch (error) {
    if (error instanceof Unserializable) throw error;
    throw new Unserializable(path, "an object that cannot be read", error);
  }
}

const tagged = (type: string, value: unknown): object => ({ [TAG]: type, value });

function objectToTagged(value: object, path: Path, parents: readonly object[]): unknown {
  const at = (key: string | number, child: unknown): unknown =>
    toTagged(child, [...path, key], parents);
  if (Array.isArray(value)) return Array.from(value, (child, index) => at(index, child));
  if (isPlainObject(value) && !hasToJson(value)) {
    const copy = Object.fromEntries(
      Object.keys(value).map((key) => [key, at(key, (value as Record<string, unknown>)[key])]),
    );
    return Object.hasOwn(copy, TAG) ? tagged("Object", copy) : copy;
  }
  const type = Object.prototype.toString.call(value).slice(8, -1);
  const known = knownToTagged(value, type, at);
  if (known !== undefined) return known;
  // The value defines its own JSON.
  if (hasToJson(value)) return toTagged(value.toJSON(), path, parents);
  throw new Unserializable(path, `a ${nameOf(value, type)}`);
}

const hasToJson = (value: object): value is { toJSON(): unknown } =>
  "toJSON" in value && typeof value.toJSON === "function";

function nameOf(value: object, type: string): string {
  const name = type === "Object" ? value.constructor?.name : type;
  return name === "" || name === undefined ? "class instance" : name;
}

/** Methods are taken from the prototypes, so that an object that only looks like one of these types fails here. */
function knownToTagged(
  value: object,
  type: string,
  at: (key: string | number, child: unknown) => unknown,
): unknown {
  switch (type) {
    case "Date": {
      // oxlint-disable-next-line no-restricted-globals -- a value and no clock
      const ms = Date.prototype.getTime.call(value);
      return tagged(type, Number.isNaN(ms) ? null : (value as Date).toISOString());
    }
    case "Map":
      return tagged(
        type,
        Array.from(Map.prototype.entries.call(value), ([key, item], index) => [
          at(`${index}.key`, key),
          at(index, item),
        ]),
      );
    case "Set":
      return tagged(
        type,
        Array.from(Set.prototype.values.call(value), (item, index) => at(index, item)),
      );
    case "RegExp":
      return value instanceof RegExp ? tagged(type, [value.source, value.flags]) : undefined;
    case "URL":
      return value instanceof URL ? tagged(type, value.href) : undefined;
    case "Error":
    case "DOMException":
      return tagged("Error", toErrorRecord(value));
    case "ArrayBuffer":
      return value instanceof ArrayBuffer
        ? tagged(type, toBase64(new Uint8Array(value)))
        : undefined;
    default:
      return viewToTagged(value, type);
  }
}

function viewToTagged(value: object, type: string): unknown {
  if (!ArrayBuffer.isView(value) || !VIEWS.some(({ name }) => name === type)) return undefined;
  const { buffer, byteOffset, byteLength } = value;
  return tagged(type, toBase64(new Uint8Array(buffer, byteOffset, byteLength)));
}

/** The value of a parsed tree. An object that only looks like a tag stays as it is. Changes the tree in place. */
export function fromTagged(tree: unknown): unknown {
  if (typeof tree !== "object" || tree === null) return tree;
  if (Object.hasOwn(tree, TAG)) return fromTag(tree as Tagged);
  return reviveChildren(tree);
}

interface Tagged {
  readonly [TAG]: unknown;
  readonly value?: unknown;
}

function reviveChildren<T extends object>(tree: T): T {
  for (const key of Object.keys(tree)) {
    const child = (tree as Record<string, unknown>)[key];
    const value = fromTagged(child);
    // Not by assignment, so that `__proto__` is a name like any other.
    if (value !== child || value === undefined)
      Object.defineProperty(tree, key, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return tree;
}

function fromTag(tree: Tagged): unknown {
  const type = tree[TAG];
  if (type === "undefined") return undefined;
  const revive = REVIVERS.get(type);
  return attempt(() => revive?.(tree.value as never), undefined) ?? reviveChildren(tree);
}

const REVIVERS = new Map<unknown, (value: never) => unknown>([
  ["number", (text: string) => Number(text)],
  ["BigInt", (text: string) => BigInt(text)],
  // oxlint-disable-next-line no-restricted-globals -- a value and no clock
  ["Date", (text: string | null) => new Date(text ?? Number.NaN)],
  [
    "Map",
    (items: [unknown, unknown][]) =>
      new Map(items.map(([key, item]) => [fromTagged(key), fromTagged(item)])),
  ],
  ["Set", (items: unknown[]) => new Set(items.map(fromTagged))],
  ["RegExp", ([source, flags]: [string, string]) => new RegExp(source, flags)],
  ["URL", (href: string) => new URL(href)],
  ["Error", (record: unknown) => rebuildError(normalizeErrorRecord(record))],
  ["ArrayBuffer", (text: string) => fromBase64(text).buffer],
  ["Object", (own: object) => reviveChildren(own)],
  ...VIEWS.map((View) => [View.name, (text: string) => new View(fromBase64(text).buffer)] as const),
]);
