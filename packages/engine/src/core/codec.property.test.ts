/** Whatever data a step returns, a replay returns the same. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeJson, encodeJson } from "./codec.ts";

const encode = (value: unknown): string | null =>
  encodeJson(value, { maxBytes: Infinity, what: "result" });

const key = fc.oneof(
  fc.constantFrom("$escapement", "value", "__proto__", "toString"),
  fc.string({ unit: "binary" }),
);

const data = fc.letrec<{ data: unknown }>((tie) => ({
  data: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    fc.constantFrom<unknown>(null, undefined, true, false, -0, Infinity, -Infinity, Number.NaN),
    fc.double(),
    fc.integer(),
    fc.bigInt(),
    fc.string({ unit: "binary" }),
    fc.date({ noInvalidDate: false }),
    fc.uint8Array(),
    fc.float64Array(),
    fc.webUrl().map((url) => new URL(url)),
    fc
      .constantFrom("Date", "Map", "Object", "undefined", "number")
      .map((tag) => ({ $escapement: tag, value: [] })),
    fc.array(tie("data"), { maxLength: 5 }),
    fc
      .array(fc.tuple(key, tie("data")), { maxLength: 5 })
      .map((items) => Object.fromEntries(items)),
    fc.array(fc.tuple(tie("data"), tie("data")), { maxLength: 4 }).map((items) => new Map(items)),
    fc.array(tie("data"), { maxLength: 4 }).map((items) => new Set(items)),
  ),
})).data;

test("S5-027 any data comes back as it was, and its text is JSON", () => {
  fc.assert(
    fc.property(data, (value) => {
      const text = encode(value);
      expect(decodeJson(text)).toStrictEqual(value);
      if (text !== null) expect(() => JSON.parse(text) as unknown).not.toThrow();
    }),
    { numRuns: 500 },
  );
});

test("S5-027 plain JSON is stored as the JSON that it is", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as unknown;
      expect(encode(plain)).toBe(JSON.stringify(plain));
    }),
    { numRuns: 300 },
  );
});
