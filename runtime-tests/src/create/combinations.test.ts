import { afterEach, expect, test, vi } from "vitest";
import { chooseCombinations, nameOf, readCombinations } from "./combinations.ts";

const ALL = readCombinations();
/** After so many days the same five come again. */
const CYCLE_DAYS = 23 * 43;

afterEach(() => {
  vi.unstubAllEnvs();
});

test("five different ones have their turn on a day, one of them with a framework that builds", () => {
  vi.stubEnv("ESCAPEMENT_DAY", undefined);
  for (let day = 0; day < CYCLE_DAYS; day += 1) {
    const chosen = chooseCombinations(ALL, "", day);
    expect(new Set(chosen.map(nameOf)).size).toBe(5);
    const building = /\+(?:next|sveltekit|nuxt|astro|react-router)$/;
    expect(chosen.filter((each) => building.test(nameOf(each)))).toHaveLength(1);
  }
});

test.each([
  { what: "platform", days: 4, of: ALL.map(({ platform }) => platform) },
  { what: "framework", days: 6, of: ALL.map(({ framework }) => framework) },
  { what: "database", days: 6, of: ALL.map(({ database }) => database) },
  { what: "combination", days: 23, of: ALL.map(nameOf) },
])("whatever the first day, every $what has its turn within $days days", ({ of, days }) => {
  vi.stubEnv("ESCAPEMENT_DAY", undefined);
  const kindByName = new Map(ALL.map((each, i) => [nameOf(each), of[i]]));
  const turns = Array.from({ length: CYCLE_DAYS + days }, (_, day) =>
    chooseCombinations(ALL, "", day).map((each) => kindByName.get(nameOf(each))),
  );
  for (let first = 0; first < CYCLE_DAYS; first += 1)
    expect(new Set(turns.slice(first, first + days).flat())).toEqual(new Set(of));
});

test("all are made when all are asked for, and one that is asked for is made", () => {
  expect(ALL).toHaveLength(66);
  vi.stubEnv("ESCAPEMENT_DAY", "all");
  expect(new Set(chooseCombinations(ALL).map(nameOf)).size).toBe(66);
  expect(chooseCombinations(ALL, "vercel+neon").map(nameOf)).toEqual(["vercel+neon"]);
  const next = { platform: "node", framework: "next", database: "sqlite" };
  expect(chooseCombinations(ALL, "node+sqlite+next")).toEqual([next]);
  expect(() => chooseCombinations(ALL, "vercel+sqlite")).toThrow("vercel+sqlite");
});
