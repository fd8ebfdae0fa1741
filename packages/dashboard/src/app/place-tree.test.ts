import { expect, test } from "vitest";
import { toLabel, toLines } from "./place-tree.ts";
import type { StepShown } from "./shapes.ts";

const step = (stepKey: string): StepShown =>
  ({
    stepKey,
    name: stepKey,
    createdAt: 1,
    updatedAt: 2,
    failedAttempts: [],
  }) as unknown as StepShown;

test("a line tells the branch that it is in, and the iteration", () => {
  const keys = [
    "prepare",
    "prepare/pack/weigh",
    "prepare/a%2Fb/weigh",
    "each",
    "each/~2/read",
    "end",
  ];
  const lines = toLines(keys.map(step), new Set());
  expect(lines.map((line) => [toLabel(line), line.branch])).toEqual([
    ["prepare", null],
    ["weigh", "pack"],
    ["weigh", "a/b"],
    ["each", null],
    ["read · 3", null],
    ["end", null],
  ]);
});
