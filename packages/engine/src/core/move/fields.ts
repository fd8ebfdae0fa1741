/** Checks of what a line of an export says, field by field. A file comes from anywhere: nothing is taken for what it should be. */
import { attempt } from "../attempt.ts";
import { decodeJson } from "../codec.ts";
import { WorkflowError } from "../errors.ts";
import { showValue } from "../show-value.ts";
import { toStorableText } from "../storable-text.ts";

/** Gives a value of its type. @param field its name, for the message @throws {WorkflowError} IMPORT_INVALID */
export type Check<T> = (value: unknown, field: string) => T;

/** What a check gives. */
export type Checked<TCheck> = TCheck extends Check<infer T> ? T : never;

const LAST_INSTANT = 8_640_000_000_000_000;

/** The error of a field. */
export const invalidRecord = (field: string, expected: string, value?: unknown): WorkflowError =>
  new WorkflowError(
    "IMPORT_INVALID",
    `${field} is invalid; expected ${expected}${value === undefined ? "" : `, not ${showValue(value)}`}`,
    { field },
  );

/** A text that every store can hold, of one character at least. */
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

/** As `text`, and it may be empty. */
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

/** @param max 2^53 - 1 at most */
export const integer =
  (min: number, max: number = Number.MAX_SAFE_INTEGER): Check<number> =>
  (value, field) => {
    if (!(Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max))
      throw invalidRecord(field, `a whole number from ${min} to ${max}`, value);
    return Number(value);
  };

/** Milliseconds since 1970 UTC: of what a database has written. */
export const instant: Check<number> = integer(0, LAST_INSTANT);

/** Of what an author asks for, which may be long past. */
export const askedInstant: Check<number> = integer(-LAST_INSTANT, LAST_INSTANT);

export const nullable =
  <T>(check: Check<T>): Check<T | null> =>
  (value, field) =>
    value === null ? null : check(value, field);

/** The same for a member that exports of earlier versions lack; null where they do. */
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

/** Exactly one value. */
export const exactly =
  <T extends string | number | boolean>(expected: T): Check<T> =>
  (value, field) => {
    if (value !== expected) throw invalidRecord(field, JSON.stringify(expected), value);
    return expected;
  };

/** What checks give, member by member. */
export type CheckedObject<TShape> = { readonly [TName in keyof TShape]: Checked<TShape[TName]> };

/** An object with these members and no other: `__proto__` is one that nothing has. */
export const object =
  <TShape extends Readonly<Record<string, Check<unknown>>>>(
    shape: TShape,
  ): Check<CheckedObject<TShape>> =>
  (value, field) => {
    if (!isObject(value)) throw invalidRecord(field === "" ? "the line" : field, "an object");
    const prefix = field === "" ? "" : `${field}.`;
    for (const name of Object.keys(value))
      if (!Object.hasOwn(shape, name)) throw invalidRecord(`${prefix}${name}`, "nothing");
    const members = Object.entries(shape).map(([name, check]) => {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      return [name, check(given, `${prefix}${name}`)] as const;
    });
    return Object.fromEntries(members) as CheckedObject<TShape>;
  };

/** An object of whatever JSON has. */
export const plainObject: Check<Readonly<Record<string, unknown>>> = (value, field) => {
  if (!isObject(value)) throw invalidRecord(field, "an object or null", value);
  return value;
};

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
