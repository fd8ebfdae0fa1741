import { expect, test } from "vitest";
import { begunAfterQueue, spanOf, type StepShown, tookMs } from "./shapes.ts";

const step = (more: Partial<StepShown>): StepShown =>
  ({
    status: "completed",
    createdAt: 100,
    updatedAt: 100,
    failedAttempts: [],
    ...more,
  }) as StepShown;

test("a step takes from its first attempt on, where a server tells of attempts", () => {
  const failed = { attempt: 1, startedAt: 40, endedAt: 50, runner: null, error: null };
  expect(spanOf(step({ attemptStartedAt: 70 }))).toEqual({ from: 70, to: 100 });
  expect(spanOf(step({ attemptStartedAt: 70, failedAttempts: [failed] })).from).toBe(40);
  expect(tookMs(step({ attemptStartedAt: 70 }))).toBe(30);
  expect(tookMs(step({ attemptStartedAt: 100 }))).toBe(0);
});

test("a row that was written once says nothing of how long its step took", () => {
  expect(tookMs(step({}))).toBeNull();
  expect(tookMs(step({ updatedAt: 160 }))).toBe(60);
  expect(tookMs(step({ status: "waiting" }))).toBe(0);
});

test("a step that was there to do before its body began has been in the queue", () => {
  const failed = { attempt: 1, startedAt: 140, endedAt: 150, runner: null, error: null };
  expect(begunAfterQueue(step({ attemptStartedAt: 130 }))).toBe(130);
  expect(begunAfterQueue(step({ attemptStartedAt: 170, failedAttempts: [failed] }))).toBe(140);
  expect(begunAfterQueue(step({ attemptStartedAt: 70 }))).toBeNull();
  expect(begunAfterQueue(step({}))).toBeNull();
});
