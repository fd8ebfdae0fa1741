import { describe, expect, it } from "vitest";
import { createErrorRecord, fromDetailText, toDetailText } from "./stored-error.ts";
import { toErrorRecord } from "./error-record.ts";
import { WorkflowError } from "./errors.ts";

const plain = (over: object): object => ({
  name: "Error",
  code: null,
  details: null,
  stack: null,
  cause: null,
  ...over,
});

describe("S5-042 toErrorRecord", () => {
  it("keeps name, message, code, fields, stack and causes", () => {
    const cause = Object.assign(new RangeError("connect"), { code: "ECONNREFUSED", port: 5432 });
    const error = new TypeError("bug", { cause });
    expect(toErrorRecord(error)).toEqual({
      name: "TypeError",
      message: "bug",
      code: null,
      details: null,
      stack: error.stack,
      cause: {
        name: "RangeError",
        message: "connect",
        code: "ECONNREFUSED",
        details: { port: 5432 },
        stack: cause.stack,
        cause: null,
      },
    });
  });

  it("keeps code and details of a WorkflowError, and an error's own fields beside its details", () => {
    const error = new WorkflowError("INSTANCE_ID_ALREADY_EXISTS", "taken", { instanceId: "a" });
    Object.assign(error, { orderId: 7 });
    expect(toErrorRecord(error)).toMatchObject({
      name: "WorkflowError",
      code: "INSTANCE_ID_ALREADY_EXISTS",
      details: { instanceId: "a", orderId: 7 },
    });
  });

  it("keeps the errors of an AggregateError", () => {
    const error = new AggregateError([new TypeError("one"), "two"], "both failed");
    expect(toErrorRecord(error).details).toEqual({
      errors: [{ name: "TypeError", message: "one", stack: expect.any(String) }, "two"],
    });
  });

  it("replaces what a database cannot hold", () => {
    expect(toErrorRecord(new RangeError("a\u0000b\uDC00"))).toMatchObject({
      name: "RangeError",
      message: "a\uFFFDb\uFFFD",
    });
  });

  it.each([
    ["text", { message: "text" }],
    [42, { message: "42" }],
    [{ a: 1 }, { message: '{"a":1}', details: { a: 1 } }],
    [[1, "b"], { message: '[1,"b"]' }],
    [undefined, { message: "undefined" }],
    [null, { message: "null" }],
    [1n, { message: "1" }],
    [Symbol("s"), { message: "Symbol(s)" }],
    [
      { message: "like an error", code: 7 },
      { message: "like an error", code: "7" },
    ],
    [new Map([[1, 2]]), { message: "[Map]" }],
  ])("S5-009 a thrown %s has a message", (thrown, over) => {
    expect(toErrorRecord(thrown)).toEqual(plain(over));
  });

  it.each([
    ["a numeric name", { name: 5 }, { name: "Error", message: "m" }],
    ["no name", { name: undefined }, { name: "Error", message: "m" }],
    ["an object as its message", { message: { a: 1 } }, { message: '{"a":1}' }],
    ["a stack that is no text", { stack: [1] }, { stack: null }],
    ["a message that throws", "getter", { name: "Error", message: "" }],
  ])("S5-009 an error with %s is stored", (_name, odd, expected) => {
    const error = new Error("m");
    if (odd === "getter") {
      const get = (): never => {
        throw new Error("no");
      };
      Object.defineProperty(error, "message", { get, configurable: true });
      Object.defineProperty(error, "own", { get, enumerable: true });
    } else {
      for (const [key, value] of Object.entries(odd)) Object.defineProperty(error, key, { value });
    }
    expect(toErrorRecord(error)).toMatchObject(expected);
  });

  it("masks what is called a credential", () => {
    const request = { headers: { Authorization: "Bearer x", accept: "a" }, apiKey: "k" };
    const error = Object.assign(new Error("m"), { request, accessToken: "t", tokenCount: 3 });
    expect(toErrorRecord(error).details).toEqual({
      request: { headers: { Authorization: "[redacted]", accept: "a" }, apiKey: "[redacted]" },
      accessToken: "[redacted]",
      tokenCount: 3,
    });
  });

  it("cuts long texts, and keeps the frames of an error with a long message", () => {
    const record = toErrorRecord(new TypeError("x".repeat(1_000_000)));
    expect(record.message).toHaveLength(8192);
    expect(record.stack).toMatch(/^TypeError: x{256}…\n {4}at /u);
  });
});

it("a record without details takes no text, and text that is not JSON costs only details", () => {
  const bare = { ...createErrorRecord("STEP_FAILED", { name: "E", message: "m" }), code: null };
  expect(toDetailText(bare)).toBeNull();
  for (const text of [null, "null", "{", "7"]) expect(fromDetailText(bare, text)).toEqual(bare);
  expect(fromDetailText({ name: null, message: null }, null)).toBeNull();
});
