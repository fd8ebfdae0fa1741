import { expect, test } from "vitest";
import type { StepShown } from "./shapes.ts";
import { summarisePlaces, toPlace } from "./summarise-places.ts";

const step = (stepKey: string, more: Partial<StepShown> = {}): StepShown =>
  ({
    stepKey,
    type: "do",
    status: "completed",
    attempts: 1,
    createdAt: 0,
    updatedAt: 10,
    failedAttempts: [],
    ...more,
  }) as StepShown;

test("iterations and occurrences are one place", () => {
  expect(toPlace("poll/~12/ask#3")).toBe("poll/ask");
  expect(toPlace("a#2/~x/b")).toBe("a/~x/b");
});

test("durations, failures and retries are of all steps of a place, by how many histories had it", () => {
  const first = [step("a"), step("a#2", { updatedAt: 30, attempts: 2 }), step("b")];
  const second = [step("a", { updatedAt: 20, status: "errored" })];
  expect(summarisePlaces([first, second])).toEqual([
    expect.objectContaining({
      place: "a",
      seen: 2,
      steps: 3,
      medianMs: 20,
      longestMs: 30,
      failed: 1,
      retried: 1,
    }),
    expect.objectContaining({ place: "b", seen: 1, steps: 1 }),
  ]);
});

test("what stands inside a place comes below it, also where its own row was written at its end", () => {
  const places = summarisePlaces([
    [step("start"), step("join/x/one"), step("last"), step("join/y/two"), step("join")],
  ]);
  expect(places.map(({ place, depth }) => `${depth} ${place}`)).toEqual([
    "0 start",
    "0 join",
    "2 join/x/one",
    "2 join/y/two",
    "0 last",
  ]);
});

test("no history has no places", () => {
  expect(summarisePlaces([])).toEqual([]);
  expect(summarisePlaces([[]])).toEqual([]);
});
