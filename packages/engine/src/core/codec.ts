/**
 * JSON in and out. What a step returns live is what a replay would return: the decoded text, never the original value.
 */
import { WorkflowError } from "./errors.ts";
import type { ErrorRecord, JsonText } from "./model/records.ts";

/** Longest error message that is stored; the rest is cut. */
const MAX_ERROR_MESSAGE_LENGTH = 8192;

interface EncodeOptions {
  /** Largest size in UTF-8 bytes. */
  readonly maxBytes: number;
  /** What the value is, for the message: "step result", "params". */
  readonly what: string;
}

/**
 * Encodes a value as JSON text; `undefined` becomes null (SQL NULL), which decodes to `undefined` again.
 *
 * Text escapes NUL and unpaired surrogates, so every store can keep it and give it back unchanged.
 *
 * @throws {WorkflowError} NOT_SERIALIZABLE — a function, symbol, BigInt, Map, Set or cycle; `details.path` says where
 * @throws {WorkflowError} PAYLOAD_TOO_LARGE — more than `maxBytes`
 */
export function encodeJson(value: unknown, options: EncodeOptions): JsonText | null {
  if (value === undefined) return null;
  const text = stringify(value, options.what);
  const sizeBytes = utf8Size(text);
  if (sizeBytes > options.maxBytes) {
    throw new WorkflowError(
      "PAYLOAD_TOO_LARGE",
      `${options.what} is ${sizeBytes} bytes of JSON, more than the limit of ${options.maxBytes}`,
      { what: options.what, sizeBytes, maxBytes: options.maxBytes },
    );
  }
  return text;
}

/** The value that a text stands for. */
export function decodeJson(text: JsonText | null): unknown {
  return text === null ? undefined : (JSON.parse(text) as unknown);
}

function stringify(value: unknown, what: string): string {
  try {
    const text = JSON.stringify(value, refuseUnserializable) as string | undefined;
    if (text !== undefined) return text;
  } catch (error) {
    throw notSerializable(value, what, error);
  }
  throw notSerializable(value, what, null);
}

function refuseUnserializable(_key: string, value: unknown): unknown {
  if (isUnserializable(value)) throw new TypeError(`${typeName(value)} is not JSON`);
  return value;
}

const isUnserializable = (value: unknown): boolean =>
  typeof value === "function" ||
  typeof value === "symbol" ||
  typeof value === "bigint" ||
  value instanceof Map ||
  value instanceof Set;

const typeName = (value: unknown): string =>
  typeof value === "object" && value !== null ? value.constructor.name : typeof value;

function notSerializable(value: unknown, what: string, cause: unknown): WorkflowError {
  const found = findUnserializable(value, "$", []);
  const reason = found === null ? "it has no JSON form" : `${found.path} is ${found.problem}`;
  return new WorkflowError(
    "NOT_SERIALIZABLE",
    `${what} cannot be written as JSON: ${reason}; plain data is expected`,
    { what, path: found?.path ?? "$", problem: found?.problem ?? "unknown" },
    cause ?? undefined,
  );
}

interface Finding {
  readonly path: string;
  readonly problem: string;
}

function findUnserializable(
  value: unknown,
  path: string,
  parents: readonly unknown[],
): Finding | null {
  if (isUnserializable(value)) return { path, problem: `a ${typeName(value)}` };
  if (typeof value !== "object" || value === null) return null;
  if (parents.includes(value)) return { path, problem: "a cycle" };
  if (parents.length > 1000) return { path, problem: "nested too deeply" };
  for (const [key, child] of Object.entries(value)) {
    const found = findUnserializable(child, `${path}.${key}`, [...parents, value]);
    if (found !== null) return found;
  }
  return null;
}

/** Size in UTF-8 bytes; exact only when it could matter, as most texts are far below any limit. */
export function utf8Size(text: string): number {
  let size = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) size += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return size;
}

/** Text without NUL and unpaired surrogates, which Postgres text refuses. */
export const toStorableText = (text: string): string =>
  text
    .replaceAll("\u0000", "\uFFFD")
    .replaceAll(
      /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/gu,
      "\uFFFD",
    );

/** What is stored of whatever was thrown. */
export function toErrorRecord(thrown: unknown): ErrorRecord {
  const name = thrown instanceof Error ? thrown.name : "Error";
  const message = thrown instanceof Error ? thrown.message : describeThrown(thrown);
  return {
    name: toStorableText(name).slice(0, 256),
    message: toStorableText(message).slice(0, MAX_ERROR_MESSAGE_LENGTH),
  };
}

function describeThrown(thrown: unknown): string {
  try {
    return typeof thrown === "string" ? thrown : (JSON.stringify(thrown) ?? String(thrown));
  } catch {
    return String(thrown);
  }
}
