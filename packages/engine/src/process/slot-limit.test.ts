import { expect, test } from "vitest";
import { SlotLimit } from "./slot-limit.ts";

const free = (limit: SlotLimit, times: number, heldMs: number, wasFull = true): number => {
  for (let time = 0; time < times; time += 1) limit.noteFreed(heldMs, wasFull);
  return limit.count;
};

test("where nobody says how many there are 32 slots, and up to 128 while runs leave them quickly", () => {
  const limit = new SlotLimit(null);
  expect(limit.count).toBe(32);
  expect(free(limit, 10, 20)).toBe(42);
  expect(free(limit, 1000, 20)).toBe(128);
});

test("runs that stay take back what quick ones have added, down to 32", () => {
  const limit = new SlotLimit(null);
  free(limit, 1000, 20);
  expect(free(limit, 50, 2000)).toBe(78);
  expect(free(limit, 1000, 2000)).toBe(32);
});

test("a slot that was not the last one adds none", () => {
  expect(free(new SlotLimit(null), 100, 20, false)).toBe(32);
});

test("a number that is given stays", () => {
  const limit = new SlotLimit(3);
  expect(free(limit, 100, 20)).toBe(3);
  expect(free(limit, 100, 2000)).toBe(3);
});
