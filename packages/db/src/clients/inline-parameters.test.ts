import { expect, test } from "vitest";
import type { SqlValue } from "../batch.ts";
import { inlineParameters } from "./inline-parameters.ts";

const inline = (text: string, ...values: SqlValue[]): string => inlineParameters({ text, values });

test.each([
  ["text", "it's", "select 'it''s'"],
  ["backslashes", String.raw`\' ; \\`, String.raw`select  E'\\'' ; \\\\'`],
  ["a number", -1.5, "select '-1.5'"],
  ["a boolean", true, "select 'true'"],
  ["null", null, "select null"],
  ["a placeholder", "$1 $2", "select '$1 $2'"],
])("a value becomes a literal: %s", (_, value, expected) => {
  expect(inline("select $1", value)).toBe(expected);
});

test.each([
  "select '$1 it''s $1'",
  String.raw`select E'\'$1', e'$1'''`,
  'select "col $1", "a""$1"',
  "select 1 -- $1 it's\n, 2",
  "select /* $1 it's */ 1",
  "select $$ $1 ' $$, $tag$ $1 $$ ' $tag$",
  "select a$1, _b$1, ž$1",
])("what only looks like a placeholder stays: %s", (text) => {
  expect(inline(text, "no")).toBe(text);
});

test("placeholders between all of these, in any order, several digits", () => {
  const values = Array.from({ length: 12 }, (_, index) => index + 1);
  expect(inline(`select $12::int, '$1', "$2", $1 /* $3 */ ||$2 -- $4`, ...values)).toBe(
    `select '12'::int, '$1', "$2", '1' /* $3 */ ||'2' -- $4`,
  );
});

test.each([
  ["two statements", "select 1; drop table thing"],
  ["a quote that does not end", "select 'a $1"],
  ["a name that does not end", 'select "a $1'],
  ["a dollar quote that does not end", "select $a$ $1"],
  ["a comment that does not end", "select 1 /* $1"],
  ["a comment in a comment", "select 1 /* /* */ $1 */"],
  ["a value too few", "select $2"],
  ["parameter 0", "select $0"],
  ["a NUL in the text", "select \0"],
])("refused before it is sent: %s", (_, text) => {
  expect(() => inline(text, "x")).toThrow(
    expect.objectContaining({ code: "DATABASE_REJECTED", cause: expect.anything() as unknown }),
  );
});

test("a NUL in a value is refused: Postgres has none, and it would end the message", () => {
  expect(() => inline("select $1", "a\0b")).toThrow(
    expect.objectContaining({ code: "DATABASE_REJECTED" }),
  );
});
