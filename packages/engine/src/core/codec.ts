/**
 * Values as text and back. A step returns the decoded text, never the original value, so that the first run returns the same as
 * a replay. A value that JSON can represent is stored as JSON; others are stored as tagged JSON (`rich-values.ts`).
 */
import { WorkflowError } from "./errors.ts";
import type { JsonText } from "./model/records.ts";
import { decodePlain, encodePlain, isTagged, utf8Size } from "./plain-codec.ts";
import { fromTagged, toTagged, Unserializable } from "./rich-values.ts";

export interface EncodeOptions {
  /** Largest size in UTF-8 bytes. */
  readonly maxBytes: number;
  /** What the value is, for the message: "step result", "params". */
  readonly what: string;
  /** Whether `what` is a plural. @default false */
  readonly isPlural?: boolean;
}

/**
 * Encodes a value as JSON text; `undefined` becomes null (SQL NULL), which decodes to `undefined` again.
 *
 * NUL and unpaired surrogates are escaped, so that every store can hold the text and return it unchanged.
 *
 * @throws {WorkflowError} NOT_SERIALIZABLE — a function, symbol, cycle or class instance; `details.path` says where
 * @throws {WorkflowError} PAYLOAD_TOO_LARGE — more than `maxBytes`
 */
export function encodeJson(value: unknown, options: EncodeOptions): JsonText | null {
  const plain = encodePlain(value, options.maxBytes);
  return plain === undefined ? boundText(stringify(value, options.what), options) : plain;
}

function boundText(text: JsonText, { what, maxBytes, isPlural = false }: EncodeOptions): JsonText {
  const sizeBytes = utf8Size(text);
  if (sizeBytes <= maxBytes) return text;
  throw new WorkflowError(
    "PAYLOAD_TOO_LARGE",
    `${what} ${isPlural ? "are" : "is"} ${sizeBytes} bytes of JSON, more than the limit of ${maxBytes}`,
    { what, sizeBytes, maxBytes },
  );
}

/** Decodes a stored text. */
export function decodeJson(text: JsonText | null): unknown {
  const tree = decodePlain(text);
  return text !== null && isTagged(text) ? fromTagged(tree) : tree;
}

function stringify(value: unknown, what: string): string {
  try {
    return JSON.stringify(toTagged(value));
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
