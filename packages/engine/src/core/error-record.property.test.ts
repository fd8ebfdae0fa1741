/** Whatever is thrown becomes a complete, bounded and storable record. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { utf8Size } from "./plain-codec.ts";
import { fromDetailText, toDetailText } from "./stored-error.ts";
import {
  MAX_CAUSE_DEPTH,
  MAX_DETAILS_BYTES,
  MAX_RECORD_BYTES,
  normalizeErrorRecord,
  toErrorRecord,
} from "./error-record.ts";
import { WorkflowError } from "./errors.ts";
import type { ErrorRecord } from "./model/records.ts";

const throwing = (): never => {
  throw new RangeError("not to be read");
};

const revoked = (): unknown => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const hostile = (): unknown =>
  new Proxy(new Error("hidden"), {
    get: throwing,
    ownKeys: throwing,
    getPrototypeOf: throwing,
    has: throwing,
  });

/** Text that is as long, wide and broken as possible. */
const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\u0000", "\uD800", "\uDC00x", "🙂".repeat(9000), "\u0001".repeat(9000)),
  fc.nat(20_000).map((length) => '"'.repeat(length)),
);

/** The generated function creates the value, because the generator itself cannot hold hostile ones. */
type Make = () => unknown;

const value: fc.Arbitrary<Make> = fc.oneof(
  text.map((item) => () => item),
  fc
    .anything({
      maxDepth: 3,
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withNullPrototype: true,
      withSparseArray: true,
      withObjectString: true,
    })
    .map((item) => () => item),
  fc.constantFrom<Make[]>(
    () => () => 1,
    () => Symbol("s"),
    () => new Date(NaN),
    () => new URL("https://a.test/"),
    () => Promise,
    revoked,
    hostile,
    () => ({ toJSON: throwing }),
    () => ({ toString: throwing, [Symbol.toPrimitive]: throwing }),
  ),
);

const fields: fc.Arbitrary<Record<string, Make>> = fc.dictionary(
  fc.oneof(
    fc.constantFrom("name", "message", "stack", "code", "details", "errors", "__proto__"),
    fc.string(),
  ),
  value,
);

interface Oddity {
  readonly message: string;
  readonly own: Record<string, Make>;
  readonly cause: Make | null;
  readonly kind: "plain" | "getter" | "cycle" | "aggregate";
}

function makeError({ message, own, cause, kind }: Oddity): unknown {
  const error: Error = new TypeError(message, { cause: cause?.() });
  // V8 renders the stack when it is redefined, and would fail on an odd name or message.
  const stackFirst = Object.entries(own).toSorted(
    ([a], [b]) => +(b === "stack") - +(a === "stack"),
  );
  for (const [key, make] of stackFirst)
    Object.defineProperty(error, key, { value: make(), enumerable: true, configurable: true });
  if (kind === "getter") Object.defineProperty(error, "extra", { get: throwing, enumerable: true });
  if (kind === "cycle") error.cause = { message: "between", cause: error };
  return kind === "aggregate" ? new AggregateError([error, 1, error], "several") : error;
}

/** Errors with odd fields, getters that throw, and causes of causes. */
const thrown: fc.Arbitrary<Make> = fc.letrec<{ thrown: Make }>((tie) => ({
  thrown: fc.oneof(
    { maxDepth: 8, depthSize: "small" },
    value,
    fc
      .record<Oddity>({
        message: text,
        own: fields,
        cause: fc.option(tie("thrown")),
        kind: fc.constantFrom("plain", "getter", "cycle", "aggregate"),
      })
      .map((oddity) => () => makeError(oddity)),
  ),
})).thrown;

const depthOf = ({ cause }: ErrorRecord): number => (cause === null ? 0 : 1 + depthOf(cause));

const UNSTORABLE = /\u0000|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** Every text in a record, including keys. */
const textsOf = (item: unknown): readonly string[] =>
  typeof item === "string"
    ? [item]
    : typeof item === "object" && item !== null
      ? [...Object.keys(item), ...Object.values(item).flatMap(textsOf)]
      : [];

const detailsOf = (record: ErrorRecord): readonly unknown[] =>
  record.cause === null ? [record.details] : [record.details, ...detailsOf(record.cause)];

test("S5-009 any thrown value becomes a record that is bounded, whole and storable", () => {
  fc.assert(
    fc.property(thrown, (make) => {
      const record = toErrorRecord(make());
      expect(Object.keys(record)).toEqual(["name", "message", "code", "details", "stack", "cause"]);
      expect(record.name).not.toBe("");
      expect(depthOf(record)).toBeLessThanOrEqual(MAX_CAUSE_DEPTH);
      expect(utf8Size(JSON.stringify(record))).toBeLessThanOrEqual(MAX_RECORD_BYTES);
      for (const details of detailsOf(record))
        expect(utf8Size(JSON.stringify(details))).toBeLessThanOrEqual(MAX_DETAILS_BYTES);
      expect(textsOf(record).filter((item) => UNSTORABLE.test(item))).toEqual([]);
      expect(JSON.parse(JSON.stringify(record))).toEqual(record);
    }),
    { numRuns: 300 },
  );
});

test("S5-009 a stored record reads back as it was written, and normalizing it changes no text", () => {
  fc.assert(
    fc.property(thrown, (make) => {
      const record = toErrorRecord(make());
      expect(fromDetailText(record, toDetailText(record))).toEqual(record);
      const { name, message, code, stack } = record;
      expect(normalizeErrorRecord(record)).toMatchObject({ name, message, code, stack });
    }),
    { numRuns: 300 },
  );
});

test("S5-044 a code of Escapement stands in a record only when Escapement made the error", () => {
  const foreign = Object.assign(new Error("m"), { code: "EVENT_TIMEOUT" });
  expect(toErrorRecord(foreign)).toMatchObject({ code: null, details: { code: "EVENT_TIMEOUT" } });
  const own = new WorkflowError("EVENT_TIMEOUT", "m", { stepKey: "s" });
  expect(toErrorRecord(own)).toMatchObject({ code: "EVENT_TIMEOUT", details: { stepKey: "s" } });
});
