import { expect, test } from "vitest";
import { createStallWatch } from "./stall.ts";

test("stillness is counted from the last change of any fact", () => {
  let now = 0;
  const watch = createStallWatch(() => now);
  expect(watch.stillMs([{ complete: 0 }, 0])).toBe(0);
  now = 40_000;
  expect(watch.stillMs([{ complete: 0 }, 0])).toBe(40_000);
  expect(watch.stillMs([{ complete: 0 }, 1])).toBe(0);
  now = 101_000;
  expect(watch.stillMs([{ complete: 0 }, 1])).toBe(61_000);
});
