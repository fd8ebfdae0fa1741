import { afterEach, expect, test, vi } from "vitest";
import { ofToday, today } from "./of-today.ts";

const ALL = ["a", "b", "c", "d", "e"];

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  { count: 1, days: 5 },
  { count: 2, days: 3 },
  { count: 5, days: 1 },
  { count: 9, days: 1 },
])("of five, $count a day: each has had its turn within $days days, none twice a day", (given) => {
  vi.stubEnv("ESCAPEMENT_DAY", undefined);
  const days = Array.from({ length: given.days }, (_, day) => ofToday(ALL, given.count, day));
  expect(new Set(days.flat())).toEqual(new Set(ALL));
  for (const day of days) {
    expect(day).toHaveLength(Math.min(given.count, ALL.length));
    expect(new Set(day).size).toBe(day.length);
  }
});

test("who wishes all gets all, in order", () => {
  vi.stubEnv("ESCAPEMENT_DAY", "all");
  expect(ofToday(ALL, 1)).toEqual(ALL);
});

test("a run of another day has that day's turns", () => {
  vi.stubEnv("ESCAPEMENT_DAY", "1970-01-03");
  expect(today()).toBe(2);
  expect(ofToday(ALL, 1)).toEqual(["c"]);
});

test.each(["yesterday", "3", "", "2026-02-31T00:00", "2026-13-01"])(
  "a day that is none is refused, and not taken for today: %s",
  (day) => {
    vi.stubEnv("ESCAPEMENT_DAY", day);
    expect(() => ofToday(ALL, 1)).toThrow("ESCAPEMENT_DAY is");
  },
);
