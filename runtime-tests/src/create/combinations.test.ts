import { beforeAll, expect, test, vi } from "vitest";
import { type Combination, nameOf } from "./combination.ts";
import { chooseCombinations, readCombinations } from "./combinations.ts";

const ALL = readCombinations();
/** After so many days the same five come again: 23 have a framework that builds, 43 have none. */
const CYCLE_DAYS = 23 * 43;
const BUILDING = new Set(["next", "sveltekit", "nuxt", "astro", "react-router"]);

let days: readonly (readonly Combination[])[];
beforeAll(() => {
  vi.stubEnv("ESCAPEMENT_DAY", undefined);
  days = Array.from({ length: CYCLE_DAYS }, (_, day) => chooseCombinations(ALL, "", day));
  return () => vi.unstubAllEnvs();
});

test("five different ones have their turn on a day, one of them with a framework that builds", () => {
  const different = days.map((chosen) => new Set(chosen.map(nameOf)).size);
  expect(new Set(different)).toEqual(new Set([5]));
  const building = days.map(
    (chosen) => chosen.filter(({ framework }) => BUILDING.has(framework)).length,
  );
  expect(new Set(building)).toEqual(new Set([1]));
});

test.each([
  { what: "platform", within: 4, of: (each: Combination) => each.platform },
  { what: "framework", within: 6, of: (each: Combination) => each.framework },
  { what: "database", within: 6, of: (each: Combination) => each.database },
  { what: "combination", within: 23, of: nameOf },
])("whatever the first day, every $what has its turn within $within days", ({ of, within }) => {
  const names = days.map((chosen) => chosen.map(of));
  const unmet = names.filter((_, first) => {
    const met = Array.from({ length: within }, (_, i) => names[(first + i) % CYCLE_DAYS] ?? []);
    return new Set(met.flat()).size < new Set(ALL.map(of)).size;
  });
  expect(unmet).toEqual([]);
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
