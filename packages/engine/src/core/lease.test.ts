import { expect, test } from "vitest";
import { leaseMsOf, renewedUntil } from "./lease.ts";

test.each([
  [1, 8000],
  [2, 8000],
  [3, 8000],
  [4, 8000],
  [5, 16_000],
  [6, 32_000],
  [10, 512_000],
  [11, 600_000],
  [2000, 600_000],
])("S5-014 claim %i in a row without a commit holds a lease of 8 s for %i ms", (attempts, ms) => {
  expect(leaseMsOf(8000, attempts)).toBe(ms);
});

test("a lease that is longer than the longest back-off is as long as was asked for", () => {
  expect(leaseMsOf(900_000, 1)).toBe(900_000);
  expect(leaseMsOf(900_000, 9)).toBe(900_000);
});

test("a renewal shortens a lengthened lease only after a commit", () => {
  expect(renewedUntil({ attempts: 5, lockedUntil: 600 }, 200)).toBe(600);
  expect(renewedUntil({ attempts: 5, lockedUntil: 100 }, 200)).toBe(200);
  expect(renewedUntil({ attempts: 3, lockedUntil: 600 }, 200)).toBe(200);
  expect(renewedUntil({ attempts: 0, lockedUntil: 600 }, 200)).toBe(200);
});
