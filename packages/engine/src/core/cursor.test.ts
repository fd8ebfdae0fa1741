import { expect, it } from "vitest";
import { fromCursor, toCursor } from "./cursor.ts";

it("a cursor gives its position back and is safe in a URL", () => {
  const cursor = toCursor("list ö", { after: { at: 1, id: "??>>ä" } });
  expect(cursor).toMatch(/^[\w-]+$/u);
  expect(fromCursor("list ö", cursor)).toEqual({ kind: "list ö", after: { at: 1, id: "??>>ä" } });
});

it.each(["", "x", "!!!", btoa("null"), btoa("[]"), btoa('{"kind":"other"}'), btoa("\u00ff\u00fe")])(
  "the cursor %j is refused with INVALID_CURSOR",
  (cursor) => {
    expect(() => fromCursor("list", cursor)).toThrow(
      expect.objectContaining({ code: "INVALID_CURSOR" }),
    );
  },
);
