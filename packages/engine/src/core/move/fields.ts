/** Checks the fields of an export's lines. A file can come from anywhere, so nothing in it is trusted. */
import { attempt } from "../attempt.ts";
import { decodeJson } from "../codec.ts";
import { WorkflowError } from "../errors.ts";
import { showValue } from "../show-value.ts";
import { toStorableText } from "../storable-text.ts";

/** Returns a value with its type. @param field its name, for the message @throws {WorkflowError} IMPORT_INVALID */
export type Check<T> = (value: unknown, field: string) => T;

/** The type that a check returns. */
export type Checked<TCheck> = TCheck extends Check<infer T> ? T : never;

const LAST_INSTANT = 8_640_000_000_000_000;

/** The error for a field. */
export const invalidRecord = (field: string, expected: string, value?: unknown): WorkflowError =>
  new WorkflowError(
    "IMPORT_INVALID",
    `${field} is invalid; expected ${expected}${value === undefined ? "" : `, not ${showValue(value)}`}`,
    { field },
  );

/** A text that every store can hold, with at least one character. */
export const text =
  (maxLength: number, pattern?: RegExp): Check<string> =>
  (value, field) => {
    const isText = typeof value === "string" && value !== "" && value.length <= maxLength;
    if (!isText || toStorableText(value) !== value || pattern?.test(value) === false)
      throw invalidRecord(
        field,
        `1 to ${maxLength} characters${pattern ? ` of ${pattern.source}` : ""}`,
      );
    return value;
  };

/** Like `text`, but it may be empty. */
export const anyText =
  (maxLength: number): Check<string> =>
  (value, field) =>
    value === "" ? "" : text(maxLength)(value, field);

export const oneOf =
  <T extends string>(...known: readonly T[]): Check<T> =>
  (value, field) => {
    const found = known.find((each) => each === value);
    if (found === undefined) throw invalidRecord(field, `one of ${known.join(", ")}`, value);
    return found;
  };

/** @param max at most 2^53 - 1 */
export const integer =
  (min: number, max: number = Number.MAX_SAFE_INTEGER): Check<number> =>
  (value, field) => {
    if (!(Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max))
      throw invalidRecord(field, `a whole number from ${min} to ${max}`, value);
    return Number(value);
  };

/** Milliseconds since 1970 UTC, written by a database. */
export const instant: Check<number> = integer(0, LAST_INSTANT);

/** An instant that an author asked for, which may be in the distant past. */
export const requestedInstant: Check<number> = integer(-LAST_INSTANT, LAST_INSTANT);

export const nullable =
  <T>(check: Check<T>): Check<T | null> =>
  (value, field) =>
    value === null ? null : check(value, field);

/** The same for a member that exports of earlier versions lack; null if it is missing. */
export const orAbsent =
  <T>(check: Check<T>): Check<T | null> =>
  (value, field) =>
    value === undefined ? null : nullable(check)(value, field);

/** The JSON text of a value, as the engine stores it. */
export const json: Check<string> = (value, field) => {
  const isValue =
    typeof value === "string" &&
    toStorableText(value) === value &&
    attempt(() => (decodeJson(value), true), false);
  if (!isValue) throw invalidRecord(field, "the JSON text of a value");
  return value;
};

export const list =
  <T>(check: Check<T>, maxLength: number): Check<readonly T[]> =>
  (value, field) => {
    if (!Array.isArray(value) || value.length > maxLength)
      throw invalidRecord(field, `a list of ${maxLength} at most`);
    return value.map((item, index) => check(item, `${field}[${index}]`));
  };

/** Accepts exactly one value. */
export const exactly =
  <T extends string | number | boolean>(expected: T): Check<T> =>
  (value, field) => {
    if (value !== expected) throw invalidRecord(field, JSON.stringify(expected), value);
    return expected;
  };

/** The types that checks return, member by member. */
export type CheckedObject<TShape> = { readonly [TName in keyof TShape]: Checked<TShape[TName]> };

/** An object with these members and no others; an own `__proto__` is refused as well. */
export const object =
  <TShape extends Readonly<Record<string, Check<unknown>>>>(
    shape: TShape,
  ): Check<CheckedObject<TShape>> =>
  (value, field) => {
    if (!isObject(value)) throw invalidRecord(field === "" ? "the line" : field, "an object");
    const prefix = field === "" ? "" : `${field}.`;
    for (const name of Object.keys(value))
      if (!Object.hasOwn(shape, name)) throw invalidRecord(`${prefix}${name}`, "no such member");
    const members = Object.entries(shape).map(([name, check]) => {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      return [name, check(given, `${prefix}${name}`)] as const;
    });
    return Object.fromEntries(members) as CheckedObject<TShape>;
  };

/** An object of any JSON values. */
export const plainObject: Check<Readonly<Record<string, unknown>>> = (value, field) => {
  if (!isObject(value)) throw invalidRecord(field, "an object or null", value);
  return value;
};

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
