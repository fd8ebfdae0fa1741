import { expect, test } from "vitest";
import type { SettledStep } from "../model/records.ts";
import { createIsBehindLoop } from "./loops.ts";

const settled = (stepKey: string, overrides: Partial<SettledStep> = {}): SettledStep => ({
  stepKey,
  type: "do",
  status: "completed",
  attempts: 1,
  result: null,
  error: null,
  settledOrder: 1,
  updatedAt: 1,
  startedKeys: null,
  ...overrides,
});

const loop = (stepKey: string, iteration: number): SettledStep =>
  settled(stepKey, { type: "loop", result: `{"iteration":${iteration}}` });

test("S3-041 replay does without the iterations before a loop's position, whatever of them has come back, nested loops included", () => {
  const isBehind = createIsBehindLoop([[loop("l", 2)], [loop("l/~2/m", 1), loop("k", 0)]]);
  const keys = ["l/~0/a", "l/~1/m/~5/b", "l/~2/a", "l/~2/m/~0/c", "l/~2/m/~1/c", "l/~20/a"];
  expect(keys.filter((key) => isBehind?.(key))).toEqual(["l/~0/a", "l/~1/m/~5/b", "l/~2/m/~0/c"]);
  expect(["l", "a", "k/~0/a", "ll/~0/a"].filter((key) => isBehind?.(key))).toEqual([]);
});

test("a history without loops has nothing behind it, whatever its steps are called", () => {
  expect(createIsBehindLoop([[settled("l/~0/a")]])).toBeNull();
});
