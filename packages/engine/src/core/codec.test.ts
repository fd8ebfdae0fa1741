import { describe, expect, it } from "vitest";
import { decodeJson, encodeJson, toErrorRecord, toStorableText, utf8Size } from "./codec.ts";

const encode = (value: unknown, maxBytes = 1000): string | null =>
  encodeJson(value, { maxBytes, what: "result" });

describe("S0-163 encodeJson", () => {
  it.each([
    [null],
    [0],
    [""],
    ["\u0000"],
    ["\uD800 alone"],
    ["🙂"],
    [{ a: [1, { b: null }] }],
    ['{"a":1}'],
    [[]],
  ])("gives %j back unchanged", (value) => {
    expect(decodeJson(encode(value))).toEqual(value);
  });

  it("undefined stays undefined", () => {
    expect(decodeJson(encode(undefined))).toBeUndefined();
  });

  it("text never holds NUL or half a surrogate pair", () => {
    expect(encode({ text: "\u0000\uD800" })).toBe('{"text":"\\u0000\\ud800"}');
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  it.each([
    ["a function", () => 1, "$"],
    ["a nested function", { a: [{ b: (): number => 1 }] }, "$.a.0.b"],
    ["a BigInt", { n: 1n }, "$.n"],
    ["a symbol", [Symbol("s")], "$.0"],
    ["a Map", { map: new Map() }, "$.map"],
    ["a Set", { set: new Set() }, "$.set"],
    ["a cycle", cycle, "$.self"],
  ])("refuses %s with NOT_SERIALIZABLE and says where", (_name, value, path) => {
    expect(() => encode(value)).toThrow(
      expect.objectContaining({
        code: "NOT_SERIALIZABLE",
        details: expect.objectContaining({ path }),
      }),
    );
  });

  it("refuses what is nested too deeply instead of overflowing the stack", () => {
    expect(() => encode(deep, 1_000_000)).toThrow(
      expect.objectContaining({ code: "NOT_SERIALIZABLE" }),
    );
  });

  it("a toJSON that throws is NOT_SERIALIZABLE", () => {
    const value = {
      toJSON: (): never => {
        throw new TypeError("no");
      },
    };
    expect(() => encode(value)).toThrow(expect.objectContaining({ code: "NOT_SERIALIZABLE" }));
  });

  it("counts UTF-8 bytes against the limit", () => {
    for (const text of ["abc", "äöü", "€", "🙂", "a🙂€ä"]) {
      expect(utf8Size(text)).toBe(new TextEncoder().encode(text).length);
    }
    expect(encode("€€", 8)).toBe('"€€"');
    expect(() => encode("€€", 7)).toThrow(
      expect.objectContaining({
        code: "PAYLOAD_TOO_LARGE",
        details: expect.objectContaining({ sizeBytes: 8, maxBytes: 7 }),
      }),
    );
  });
});

describe("errors as records", () => {
  it("keep name and message, without what a database cannot hold", () => {
    expect(toErrorRecord(new RangeError("a\u0000b\uDC00"))).toEqual({
      name: "RangeError",
      message: "a\uFFFDb\uFFFD",
    });
    expect(toStorableText("🙂\uD83D")).toBe("🙂\uFFFD");
  });

  it.each([
    ["text", "text"],
    [42, "42"],
    [{ a: 1 }, '{"a":1}'],
    [undefined, "undefined"],
    [1n, "1"],
  ])("a thrown %s becomes a message", (thrown, message) => {
    expect(toErrorRecord(thrown)).toEqual({ name: "Error", message });
  });

  it("a very long message is cut", () => {
    expect(toErrorRecord(new TypeError("x".repeat(100_000))).message).toHaveLength(8192);
  });
});
