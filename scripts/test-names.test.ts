import { expect, test } from "vitest";
import { findRepeatedTitles } from "./test-names.ts";

test("a second test of the same name in a file is found", () => {
  const text = 'test("a", f);\ntest("b", f);\ntest("a", g);';
  expect(findRepeatedTitles("x.test.ts", text)).toEqual(['x.test.ts:3: a second test named "a"']);
});
