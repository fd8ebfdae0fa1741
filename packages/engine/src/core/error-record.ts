/**
 * The record of any thrown value: name, message, code, details, stack and causes, as bounded plain JSON that every store can hold.
 * Nothing here throws, because an error that cannot be stored would crash the process.
 */
import { attempt } from "./attempt.ts";
import { readField } from "./read-field.ts";
import { copyFields, copyJson, fieldNames, type JsonBudget, takeText } from "./bounded-json.ts";
import { isErrorCode } from "./error-codes.ts";
import { WorkflowError } from "./errors.ts";
import type { ErrorRecord } from "./model/records.ts";
import { createErrorRecord } from "./stored-error.ts";

/** UTF-8 bytes of a whole record as JSON. */
export const MAX_RECORD_BYTES = 65_536;
/** UTF-8 bytes of an error's details as JSON. */
export const MAX_DETAILS_BYTES = 16_384;
/** How many levels of causes are kept. */
export const MAX_CAUSE_DEPTH = 5;

const MAX_NAME_BYTES = 256;
const MAX_MESSAGE_BYTES = 8192;
const MAX_STACK_BYTES = 8192;
/** The size of a record's names and punctuation, without its values. */
const FRAME_BYTES = 96;
/** Fields that have their own place in a record. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["name", "message", "stack", "cause", "details"]);

/** The record of any thrown value. It never throws, and the record is bounded. */
export const toErrorRecord = (thrown: unknown): ErrorRecord =>
  describe(thrown, { budget: { left: MAX_RECORD_BYTES }, seen: [], isRecord: false });

/** A record from elsewhere, such as a store or a redaction, bounded and with every field. */
export const normalizeErrorRecord = (
  record: unknown,
  maxBytes: number = MAX_RECORD_BYTES,
): ErrorRecord => describe(record, { budget: { left: maxBytes }, seen: [], isRecord: true });

interface Description {
  readonly budget: JsonBudget;
  /** The chain of causes up to here. */
  readonly seen: readonly unknown[];
  /** The value is a record, so its code can be trusted. */
  readonly isRecord: boolean;
}

function describe(thrown: unknown, description: Description): ErrorRecord {
  const { budget } = description;
  budget.left -= FRAME_BYTES;
  if (!isObject(thrown)) {
    const message = takeText(describeValue(thrown), MAX_MESSAGE_BYTES, budget);
    return createErrorRecord(null, { name: "Error", message });
  }
  const name = takeText(nameOf(thrown), MAX_NAME_BYTES, budget);
  const message = takeText(messageOf(thrown), MAX_MESSAGE_BYTES, budget);
  const code = codeOf(thrown, description);
  const stack = stackOf(thrown, description);
  const details = detailsOf(thrown, budget, code !== null);
  return { name, message, code, details, stack, cause: causeOf(thrown, description) };
}

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

const isError = (value: object): boolean => attempt(() => value instanceof Error, false);

function nameOf(thrown: object): string {
  const name = readField(thrown, "name");
  if (typeof name === "string" && name !== "" && typeof thrown !== "function") return name;
  const type = isError(thrown) ? readField(thrown, "constructor") : undefined;
  const typeName = isObject(type) ? readField(type, "name") : undefined;
  return typeof typeName === "string" && typeName !== "" ? typeName : "Error";
}

function messageOf(thrown: object): string {
  const message = readField(thrown, "message");
  if (typeof message === "string") return message;
  if (isError(thrown)) return message === undefined ? "" : describeValue(message);
  return describeValue(thrown);
}

/** Text for a thrown value that is not an error: the text itself, or the value's JSON. */
function describeValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (!isObject(value) || typeof value === "function")
    return attempt(() => String(value), "a value that cannot be shown");
  const copied = copyJson(value, { left: MAX_MESSAGE_BYTES });
  return typeof copied === "string" ? copied : JSON.stringify(copied);
}

/** One of our codes is kept only if the error is ours, so that a record's code can be trusted. */
function codeOf(thrown: object, { budget, isRecord }: Description): string | null {
  const code = readField(thrown, "code");
  const text = typeof code === "number" ? String(code) : code;
  if (typeof text !== "string" || text === "") return null;
  if (!isRecord && isErrorCode(text) && !WorkflowError.is(thrown)) return null;
  return takeText(text, MAX_NAME_BYTES, budget);
}

function stackOf(thrown: object, { budget, isRecord }: Description): string | null {
  const stack = readField(thrown, "stack");
  if (typeof stack !== "string" || stack === "") return null;
  const message = readField(thrown, "message");
  // A long message would leave no room for the stack frames.
  const isLong = typeof message === "string" && message.length > MAX_STACK_BYTES / 4;
  const short =
    isLong && !isRecord ? stack.replace(message, () => `${message.slice(0, 256)}…`) : stack;
  return takeText(short, MAX_STACK_BYTES, budget);
}

/** An error's `details`, merged with its other own fields. */
function detailsOf(thrown: object, budget: JsonBudget, hasCode: boolean): ErrorRecord["details"] {
  const own = readField(thrown, "details");
  const isMap = isObject(own) && attempt(() => !Array.isArray(own), false);
  const fields: (readonly [string, unknown])[] = isMap
    ? fieldNames(own).map((key) => [key, readField(own, key)] as const)
    : own === undefined || own === null
      ? []
      : [["details", own]];
  const taken = new Set(fields.map(([key]) => key));
  const errors = readField(thrown, "errors");
  if (attempt(() => Array.isArray(errors), false)) fields.push(["errors", errors]);
  for (const key of isListLike(thrown) ? [] : fieldNames(thrown)) {
    const value = readField(thrown, key);
    const isOther = !OWN_FIELDS.has(key) && !taken.has(key) && key !== "errors";
    if (isOther && !(key === "code" && (hasCode || value === null))) fields.push([key, value]);
  }
  const limit = Math.min(MAX_DETAILS_BYTES, budget.left);
  const share = { left: limit };
  const details = copyFields(fields, share);
  budget.left -= limit - share.left;
  return details;
}

const isListLike = (thrown: object): boolean =>
  attempt(() => Array.isArray(thrown) || ArrayBuffer.isView(thrown), true);

function causeOf(thrown: object, { budget, seen, isRecord }: Description): ErrorRecord | null {
  const cause = readField(thrown, "cause");
  const path = [...seen, thrown];
  const isEnd = cause === undefined || cause === null || path.includes(cause);
  if (isEnd || path.length > MAX_CAUSE_DEPTH || budget.left < 1024) return null;
  return describe(cause, { budget, seen: path, isRecord });
}
