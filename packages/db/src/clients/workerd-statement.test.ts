import { expect, test } from "vitest";
import { toWorkerdStatement } from "./workerd-statement.ts";

test("whole numbers and booleans are cast where they stand, everything else is left", () => {
  expect(
    toWorkerdStatement({
      text: "select ?1, ?2, ?3, ?4, ?5, ?1",
      values: [5, "5", 1.5, true, null],
    }),
  ).toEqual({
    text: "select (+cast(?1 as integer)), ?2, ?3, (+cast(?4 as integer)), ?5, (+cast(?1 as integer))",
    values: [5, "5", 1.5, 1, null],
  });
});

test("what only looks like a placeholder stays", () => {
  const text =
    "select '?1 it''s ?1', \"?1\", `?1`, [?1] -- ?1\n, /* ?1 */ value->>'?1' from json_each('{}')";
  expect(toWorkerdStatement({ text, values: [1] }).text).toBe(text);
});

test("more than nine parameters, and numbers beyond what is whole", () => {
  const values = Array.from({ length: 11 }, (_, index) => (index === 10 ? 7 : 2 ** 60));
  expect(toWorkerdStatement({ text: "select ?1 + ?11", values })).toEqual({
    text: "select ?1 + (+cast(?11 as integer))",
    values,
  });
});
