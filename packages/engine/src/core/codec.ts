/**
 * Values as text and back. What a step returns live is what a replay would return: the decoded text, never the original
 * value. A value that JSON keeps is JSON; others are tagged JSON (`rich-values.ts`).
 */
import { attempt } from "./bounded-json.ts";
import { WorkflowError } from "./errors.ts";
import type { JsonText } from "./model/records.ts";
import { fromTagged, isPlain, TAG, toTagged, Unserializable } from "./rich-values.ts";

interface EncodeOptions {
  /** Largest size in UTF-8 bytes. */
  readonly maxBytes: number;
  /** What the value is, for the message: "step result", "params". */
  readonly what: string;
  /** Whether that is more than one thing. @default false */
  readonly isPlural?: boolean;
}

/**
 * Encodes a value as JSON text; `undefined` becomes null (SQL NULL), which decodes to `undefined` again.
 *
 * Text escapes NUL and unpaired surrogates, so every store can keep it and give it back unchanged.
 *
 * @throws {WorkflowError} NOT_SERIALIZABLE — a function, symbol, cycle or class instance; `details.path` says where
 * @throws {WorkflowError} PAYLOAD_TOO_LARGE — more than `maxBytes`
 */
export function encodeJson(value: unknown, options: EncodeOptions): JsonText | null {
  if (value === undefined) return null;
  const text = stringify(value, options.what);
  const sizeBytes = utf8Size(text);
  if (sizeBytes > options.maxBytes) {
    throw new WorkflowError(
      "PAYLOAD_TOO_LARGE",
      `${options.what} ${options.isPlural === true ? "are" : "is"} ${sizeBytes} bytes of JSON, more than the limit of ${options.maxBytes}`,
      { what: options.what, sizeBytes, maxBytes: options.maxBytes },
    );
  }
  return text;
}

/** The value that a text stands for. */
export function decodeJson(text: JsonText | null): unknown {
  if (text === null) return undefined;
  const tree = JSON.parse(text) as unknown;
  return text.includes(QUOTED_TAG) ? fromTagged(tree) : tree;
}

const QUOTED_TAG = JSON.stringify(TAG);

function stringify(value: unknown, what: string): string {
  try {
    return JSON.stringify(attempt(() => isPlain(value), false) ? value : toTagged(value));
  } catch (error) {
    throw notSerializable(what, error);
  }
}

function notSerializable(what: string, error: unknown): WorkflowError {
  const { path, problem } =
    error instanceof Unserializable ? error : { path: "$", problem: "nothing that can be read" };
  return new WorkflowError(
    "NOT_SERIALIZABLE",
    `${what} cannot be written as JSON: ${path} is ${problem}; plain data, Date, Map, Set, BigInt, URL, Error and bytes are kept`,
    { what, path, problem },
    error,
  );
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
