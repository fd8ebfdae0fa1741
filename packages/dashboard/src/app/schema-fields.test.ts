import { describe, expect, test } from "vitest";
import { FieldError, toFields, toJsonValue, toValue } from "./schema-fields.ts";

const SCHEMA = {
  type: "object",
  properties: {
    sku: { type: "string", description: "as on the shelf" },
    count: { type: "integer" },
    price: { type: "number" },
    isGift: { type: "boolean" },
    speed: { enum: ["slow", "fast"] },
    lines: { type: "array", items: { type: "string" } },
  },
  required: ["sku", "count"],
};
const fields = toFields(SCHEMA) ?? [];

describe("fields of a schema", () => {
  test("have the kinds that a form can ask for, and JSON for all others", () => {
    expect(fields.map(({ kind }) => kind)).toEqual([
      "text",
      "integer",
      "number",
      "boolean",
      "choice",
      "json",
    ]);
    expect(fields[0]).toMatchObject({ isRequired: true, about: "as on the shelf" });
    expect(fields[4]).toMatchObject({ isRequired: false, choices: ["slow", "fast"] });
  });

  test.each([
    null,
    undefined,
    "object",
    [],
    {},
    { type: "string" },
    { type: "object" },
    { type: "object", properties: {} },
    { type: "object", properties: null },
    {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`f${index}`, {}])),
    },
  ])("no form is made of %j", (schema) => {
    expect(toFields(schema)).toBeNull();
  });

  test("members that are no schemas ask for JSON", () => {
    const odd = { type: "object", properties: { a: null, b: true, c: { enum: [1, 2] } } };
    expect(toFields(odd)?.map(({ kind }) => kind)).toEqual(["json", "json", "json"]);
  });
});

describe("what is filled in", () => {
  test("becomes a value of the schema, without the members left empty", () => {
    const texts = { sku: "a-1", count: "3", price: "1.5", isGift: "false", lines: '["x"]' };
    expect(toValue(fields, { ...texts, speed: "" })).toEqual({
      sku: "a-1",
      count: 3,
      price: 1.5,
      isGift: false,
      lines: ["x"],
    });
  });

  test("an empty text is a text, and an empty number is missing", () => {
    expect(toValue(fields, { sku: "", count: "1" })).toEqual({ sku: "", count: 1 });
    expect(() => toValue(fields, { sku: "a" })).toThrow(new FieldError("count is needed."));
  });

  test.each([
    ["count", "1.5"],
    ["count", "x"],
    ["count", " "],
    ["count", "9007199254740993"],
    ["price", "Infinity"],
    ["lines", "[x]"],
  ])("%s is not %j", (name, text) => {
    const texts = { sku: "a", count: "1", [name]: text };
    expect(() => toValue(fields, texts)).toThrow(FieldError);
  });

  test("a member called __proto__ is a member", () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":[]}',
    ) as unknown;
    const value = toValue(
      toFields(schema) ?? [],
      JSON.parse('{"__proto__":"x"}') as Record<string, string>,
    );
    expect(JSON.stringify(value)).toBe('{"__proto__":"x"}');
  });

  test("JSON is read as it stands", () => {
    expect(toJsonValue("Params", "[1]")).toEqual([1]);
    expect(() => toJsonValue("Params", "{no")).toThrow("Params is not JSON");
  });
});
