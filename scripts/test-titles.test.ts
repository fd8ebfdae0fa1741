import { expect, test } from "vitest";
import { readTestTitles } from "./test-titles.ts";

test("titles are read from plain, tabled, conditional and multi-line calls", () => {
  const text = [
    'describe("S0-001 outer", () => {',
    '  test("a \\"quoted\\" title", () => {});',
    "  it(",
    '    "on the next line",',
    "    () => {},",
    "  );",
    '  test.each([[1, ")"], [2, "("]])("tabled %s", () => {});',
    '  test.skipIf(!has("x"))(`with ${name}`, () => {});',
    "  regex.test(value);",
    "  test(nameFromVariable, () => {});",
    "});",
  ].join("\n");
  expect(readTestTitles(text).map((title) => title.title)).toEqual([
    "S0-001 outer",
    'a "quoted" title',
    "on the next line",
    "tabled %s",
    "with ${name}",
  ]);
});
