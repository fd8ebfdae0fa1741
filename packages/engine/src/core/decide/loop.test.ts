import { expect, test } from "vitest";
import { encodeJson } from "../codec.ts";
import { parseLoopPosition, toLoopResult } from "../history/loop-position.ts";
import { parseLoopState } from "../history/loop-state.ts";
import { decideTrim, isDueAfter } from "./loop.ts";

const KEYS = ["l", "l/~0/a", "l/~0/m/~4/b", "l/~1/a", "l/~10/a", "ll/~0/a", "a", "k/l/~0/a"];

test("S3-014 S3-042 the rows of a loop's iterations before those it keeps go, and no others", () => {
  expect(decideTrim(KEYS, "l", 0)).toEqual([]);
  expect(decideTrim(KEYS, "l", 1)).toEqual(["l/~0/a", "l/~0/m/~4/b"]);
  expect(decideTrim(KEYS, "l", 10)).toEqual(["l/~0/a", "l/~0/m/~4/b", "l/~1/a"]);
  expect(decideTrim(KEYS, "l/~0/m", 5)).toEqual(["l/~0/m/~4/b"]);
  expect(decideTrim(KEYS, "none", 5)).toEqual([]);
});

test.each([
  ["a date in a map", { seen: new Map([["a", new Date(5)]]) }],
  ["nothing", undefined],
  ["null", null],
  ["a text", "x"],
])("a position comes back with its state: %s", (_what, state) => {
  const text = encodeJson(state, { maxBytes: 1000, what: "state" });
  const written = toLoopResult({ iteration: 7, at: 5, since: 2, after: 9, state: text });
  expect(parseLoopPosition(written)).toEqual({ iteration: 7, at: 5, since: 2, after: 9 });
  expect(parseLoopState(written)).toEqual(state);
});

test("a position of earlier code has no instant, and nothing is before it", () => {
  expect(parseLoopPosition(`{"iteration":7}`)).toEqual({
    iteration: 7,
    at: 0,
    since: 0,
    after: Infinity,
  });
});

test("what is due every so many iterations is due after that many", () => {
  const due = (every: number): number[] =>
    [1, 2, 3, 4, 5, 6].filter((done) => isDueAfter(done, every));
  expect([due(1), due(2), due(4)]).toEqual([[1, 2, 3, 4, 5, 6], [2, 4, 6], [4]]);
});
