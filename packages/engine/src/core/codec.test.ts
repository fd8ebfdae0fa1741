import { describe, expect, it } from "vitest";
import { decodeJson, encodeJson } from "./codec.ts";
import { utf8Size } from "./plain-codec.ts";
import { WorkflowError } from "./errors.ts";
import { toStorableText } from "./storable-text.ts";

const encode = (value: unknown, maxBytes = 1_000_000): string | null =>
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
  ])("keeps %j as the JSON that it is", (value) => {
    expect(encode(value)).toBe(JSON.stringify(value));
    expect(decodeJson(encode(value))).toEqual(value);
  });

  it("undefined stays undefined", () => {
    expect(encode(undefined)).toBeNull();
    expect(decodeJson(encode(undefined))).toBeUndefined();
  });

  it("text never holds NUL or half a surrogate pair", () => {
    expect(encode({ text: "\u0000\uD800" })).toBe('{"text":"\\u0000\\ud800"}');
    expect(encode({ at: new Date(0), text: "\u0000\uD800" })).not.toMatch(/[\u0000\uD800-\uDFFF]/);
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

describe("S5-027 values that JSON has no form for", () => {
  it.each<[string, unknown]>([
    ["a Date", new Date("2026-11-22T10:00:00.123Z")],
    ["an invalid Date", new Date(Number.NaN)],
    [
      "a Map with keys of any type",
      new Map<unknown, unknown>([
        [{ a: 1 }, new Date(1)],
        [1n, undefined],
      ]),
    ],
    ["a Set", new Set([1, "a", new Set([2n])])],
    ["a BigInt", -12345678901234567890n],
    ["undefined in an object", { a: undefined, b: 1 }],
    ["undefined in a list", [undefined, 1]],
    ["NaN", Number.NaN],
    ["Infinity", [Infinity, -Infinity]],
    ["negative zero", { zero: -0 }],
    ["bytes", new Uint8Array([0, 1, 254, 255])],
    ["part of a buffer", new Uint8Array([0, 1, 2, 3]).subarray(1, 3)],
    ["floats", new Float64Array([1.5, Number.NaN])],
    ["an ArrayBuffer", new Uint8Array([7, 8]).buffer],
    ["a URL", new URL("https://a.test/b?c=%20#d")],
    ["a RegExp", /a"\/\n\u{1F600}/giu],
    ["a key that is the tag", { $escapement: "Date", value: "2026" }],
    ["tags in tags", { $escapement: { $escapement: [1n], value: new Date(2) } }],
    ["text that names the tag", { text: '"$escapement"', at: ['{"$escapement":"Date"}'] }],
    ["a key like a prototype", JSON.parse('{"__proto__":{"a":1},"b":[{"__proto__":2}]}')],
    ["the same beside a Date", { ...JSON.parse('{"__proto__":{"a":1}}'), at: new Date(3) }],
  ])("%s comes back as it was", (_name, value) => {
    const text = encode(value) ?? "";
    expect(decodeJson(text)).toStrictEqual(value);
    expect(JSON.parse(text)).toBeDefined();
    expect(encode(decodeJson(text))).toBe(text);
  });

  it("a key named constructor is a key", () => {
    expect(Object.entries(decodeJson(encode({ constructor: 1n })) as object)).toEqual([
      ["constructor", 1n],
    ]);
  });

  it("bytes of a large buffer come back", () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251);
    expect(Buffer.compare(decodeJson(encode(bytes)) as Uint8Array, bytes)).toBe(0);
  });

  it("errors come back with name, message, code, details, stack and cause", () => {
    const cause = new WorkflowError("INSTANCE_TERMINAL", "ended", { instanceId: "a" });
    const error = Object.assign(new TypeError("bug", { cause }), { code: "E_BUG", orderId: 7 });
    const back = decodeJson(encode({ error })) as { error: TypeError & { orderId: number } };
    expect(back.error).toBeInstanceOf(Error);
    const { name, message, stack, orderId } = back.error;
    expect({ name, message, stack, orderId }).toEqual({
      name: "TypeError",
      message: "bug",
      stack: error.stack,
      orderId: 7,
    });
    expect(back.error.cause).toMatchObject({
      code: "INSTANCE_TERMINAL",
      details: { instanceId: "a" },
    });
    expect(WorkflowError.is(back.error.cause)).toBe(true);
  });

  it("decoding sets no prototype", () => {
    const text = '{"__proto__":{"polluted":true},"a":{"$escapement":"BigInt","value":"1"}}';
    const value = decodeJson(text) as Record<string, unknown>;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value["a"]).toBe(1n);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it.each([
    '{"$escapement":"Date"',
    '{"$escapement":"Code","value":"alert(1)"',
    '{"$escapement":"constructor","value":"alert(1)"',
    '{"$escapement":"BigInt","value":"one"',
    '{"$escapement":"Map","value":7',
    '{"$escapement":7',
  ])("what only looks like a tag stays as it is: %s", (text) => {
    const decoded = decodeJson(`${text},"at":{"$escapement":"BigInt","value":"1"}}`);
    const at = { at: 1n };
    const plain = { ...(JSON.parse(`${text}}`) as object), ...at };
    if (text.includes('"Date"')) expect(decoded).toBeInstanceOf(Date);
    else expect(decoded).toEqual(plain);
  });
});

class Money {
  readonly cents = 1;
}

class Temperature {
  toJSON(): unknown {
    return { celsius: 21n };
  }
}

const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
const cycle: Record<string, unknown> = {};
cycle["self"] = [cycle];
let deep: unknown = 1;
for (let level = 0; level < 100_000; level += 1) deep = [deep];
const throwing = (): never => {
  throw new TypeError("no");
};

describe("S5-027 S0-163 what has no form is NOT_SERIALIZABLE, with the path to it", () => {
  it.each<[string, unknown, string]>([
    ["a function", () => 1, "$"],
    ["a nested function", { a: [{ b: (): number => 1 }] }, "$.a.0.b"],
    ["a symbol", [Symbol("s")], "$.0"],
    ["a cycle", cycle, "$.self.0"],
    ["a Promise", { work: Promise.resolve(1) }, "$.work"],
    ["a Response", [new Response("a")], "$.0"],
    ["a WeakMap", { map: new WeakMap() }, "$.map"],
    ["Headers", { headers: new Headers() }, "$.headers"],
    ["a class instance", { price: new Money() }, "$.price"],
    ["a function in a Map", { map: new Map([["f", throwing]]) }, "$.map.0"],
    ["a class instance as a key", new Map([[new Money(), 1]]), "$.0.key"],
    ["a symbol in a Set", { set: new Set([1, Symbol("s")]) }, "$.set.1"],
    ["a revoked proxy", { a: [revoked] }, "$.a.0"],
    ["a proxy of a Date", { at: new Proxy(new Date(0), {}) }, "$.at"],
    [
      "a getter that throws",
      {
        a: {
          get b(): never {
            return throwing();
          },
        },
      },
      "$.a",
    ],
    ["a toJSON that throws", { a: { toJSON: throwing } }, "$.a"],
    [
      "what only says that it is a Map",
      { m: { [Symbol.toStringTag]: "Map", f: throwing } },
      "$.m.f",
    ],
    ["a boxed number", { n: Object(1) }, "$.n"],
  ])("%s", (_name, value, path) => {
    expect(() => encode(value)).toThrow(
      expect.objectContaining({
        code: "NOT_SERIALIZABLE",
        message: expect.stringContaining(`${path} is `),
        details: expect.objectContaining({ path }),
      }),
    );
  });

  it("refuses what is nested too deeply instead of overflowing the stack", () => {
    expect(() => encode(deep)).toThrow(expect.objectContaining({ code: "NOT_SERIALIZABLE" }));
  });

  it("an instance whose class says what it is as JSON becomes that", () => {
    expect(decodeJson(encode({ outside: new Temperature() }))).toEqual({
      outside: { celsius: 21n },
    });
  });
});

it("storable text holds no half of a surrogate pair", () => {
  expect(toStorableText("🙂\uD83D\u0000")).toBe("🙂\uFFFD\uFFFD");
});
