import { expect, test } from "vitest";
import { findFirst, sortOnce } from "./sort-once.ts";

interface Row {
  readonly at: number;
}
const byAt = (a: Row, b: Row): number => a.at - b.at;
const rowsAt = (...instants: readonly number[]): Row[] => instants.map((at) => ({ at }));

test("a list whose rows are the same is sorted once", () => {
  const list = new Map();
  const rows = rowsAt(3, 1, 2);
  const sorted = sortOnce(rows, byAt, list);
  expect(sorted.map(({ at }) => at)).toEqual([1, 2, 3]);
  expect(sortOnce([...rows], byAt, list)).toBe(sorted);
});

test("a row that another one took the place of, came or went is sorted anew", () => {
  const list = new Map();
  const rows = rowsAt(3, 1, 2);
  const sort = (next: readonly Row[]): number[] => sortOnce(next, byAt, list).map(({ at }) => at);
  sort(rows);
  expect(sort([...rows.slice(0, 2), { at: 0 }])).toEqual([0, 1, 3]);
  expect(sort(rows.slice(1))).toEqual([1, 2]);
  expect(sort([...rows, { at: -1 }])).toEqual([-1, 1, 2, 3]);
});

test("a page begins behind the last row of the one before, also where nothing is left", () => {
  const rows = rowsAt(1, 2, 2, 5);
  const beginBehind = (last: number): number => findFirst(rows, ({ at }) => at > last);
  expect([0, 1, 2, 4, 5].map(beginBehind)).toEqual([0, 1, 3, 3, 4]);
  expect(findFirst([], () => true)).toBe(0);
});
