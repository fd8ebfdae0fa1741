/** Reads a body within a size limit, and JSON within a nesting limit. */
import { WorkflowError } from "../core/errors.ts";
import type { DurationMs } from "../core/model/records.ts";
import { invalidRequest } from "./issues.ts";
import { MAX_JSON_VALUES } from "./mount.ts";

/** The bytes of a request. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** How deep arrays and objects may be nested. This is far below what overflows the stack of code that walks the value later. */
export const MAX_JSON_DEPTH = 1000;

/** The time limit for reading a body. Not all platforms have one, and theirs are minutes. */
const BODY_MS: DurationMs = 30_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Reads the whole body. Counts while reading, so that a body without a length, or with a false one, stops at the limit.
 *
 * @param maxBytes ≥ 0
 * @throws {WorkflowError} PAYLOAD_TOO_LARGE; INVALID_REQUEST if the connection breaks off or the body takes too long;
 *   INVARIANT_BROKEN if the host's own code has already read it
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  withinMs: DurationMs = BODY_MS,
): Promise<Bytes> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  if (request.bodyUsed) {
    const words =
      "The body was read before the route could read it. Read it with readBody() in authorizers; if a framework has parsed it, keep the result as `body` of its request.";
    throw new WorkflowError("INVARIANT_BROKEN", words);
  }
  if (request.body === null) return new Uint8Array(0);
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    cancel(reader);
  }, withinMs);
  const refuseLate = (): void => {
    if (isLate)
      throw new WorkflowError("INVALID_REQUEST", `The body did not arrive within ${withinMs} ms.`);
  };
  try {
    const bytes = await readAll(reader, maxBytes);
    refuseLate();
    return bytes;
  } catch (error) {
    // If a read that was given up fails, the sender did not break off.
    refuseLate();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<Bytes> {
  // Not a list of chunks: chunks of one byte each would take a hundred times as much memory.
  let bytes: Bytes = new Uint8Array(0);
  let sizeBytes = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new WorkflowError(
        "INVALID_REQUEST",
        "The connection ended before the whole body had arrived.",
        {},
        cause,
      );
    });
    if (done) return bytes.length === sizeBytes ? bytes : bytes.slice(0, sizeBytes);
    const start = sizeBytes;
    sizeBytes += value.byteLength;
    if (sizeBytes > maxBytes) {
      cancel(reader);
      throw tooLarge(maxBytes);
    }
    if (sizeBytes > bytes.length) bytes = grow(bytes, sizeBytes, start);
    bytes.set(value, start);
  }
}

/** Not awaited, because a sender that never stops could keep it open. */
function cancel(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  reader.cancel().catch(() => undefined);
}

/** The first chunk is often the whole body. @param filled how many bytes are kept */
function grow(bytes: Bytes, sizeBytes: number, filled: number): Bytes {
  const grown = new Uint8Array(filled === 0 ? sizeBytes : Math.max(sizeBytes, bytes.length * 2));
  grown.set(bytes.subarray(0, filled));
  return grown;
}

/**
 * Decodes a JSON body; an empty one counts as `{}`.
 *
 * The content type must be JSON, which also prevents HTML forms of other sites from posting here with a user's cookies. Compressed
 * bodies are refused, because a few bytes can expand to any number.
 *
 * @throws {WorkflowError} INVALID_REQUEST: its content type is not JSON, it is compressed, not UTF-8, malformed, nested too deep, or has
 *   too many values
 */
export function parseJsonBody(
  headers: Headers,
  bytes: Bytes,
  maxValues: number = MAX_JSON_VALUES,
): unknown {
  if (bytes.byteLength === 0) return {};
  assertHeader(headers, "content-type", { isFine: isJsonType, expected: "application/json" });
  assertHeader(headers, "content-encoding", { isFine: isAsItIs, expected: "identity, or none" });
  assertModest(bytes, maxValues);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalidRequest([{ path: "body", expected: "JSON in UTF-8", received: "something else" }]);
  }
}

function assertHeader(
  headers: Headers,
  name: string,
  { isFine, expected }: { readonly isFine: (said: string) => boolean; readonly expected: string },
): void {
  const said = headers.get(name) ?? "";
  if (isFine(said)) return;
  const received = said === "" ? "none" : said.slice(0, 80);
  throw invalidRequest([{ path: `header.${name}`, expected, received }]);
}

const isAsItIs = (encoding: string): boolean => /^(?:identity)?$/iu.test(encoding);

function isJsonType(contentType: string): boolean {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return type === "application/json" || /^application\/[\w.-]+\+json$/.test(type);
}

/**
 * Works on the bytes, because it is to prevent the time and recursion of a parser. Each value follows a comma or an opening bracket, or
 * is the only one; a field counts twice, because its name is one more text.
 */
export function assertModest(bytes: Bytes, maxValues: number): void {
  let depth = 0;
  let valueCount = 1;
  let isInString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (isInString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === COMMA || byte === COLON) valueCount += 1;
    else if (byte === 0x5b || byte === 0x7b) {
      valueCount += 1;
      depth += 1;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    if (depth > MAX_JSON_DEPTH) throw tooMuch(`${MAX_JSON_DEPTH} levels of nesting`);
    if (valueCount > maxValues) throw tooMuch(`${maxValues} values and field names`);
  }
}

const tooMuch = (bound: string): WorkflowError =>
  invalidRequest([{ path: "body", expected: `at most ${bound}`, received: "more" }]);

function tooLarge(maxBytes: number): WorkflowError {
  return new WorkflowError("PAYLOAD_TOO_LARGE", `The body is larger than ${maxBytes} bytes.`, {
    maxBytes,
  });
}
