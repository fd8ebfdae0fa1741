/** Which combinations have their turn on a day, so that each platform, framework and database has its turn every few days. */
import { ofToday } from "@escapement-internal/test-servers";
import type { Combination } from "./combination.ts";

/** Frameworks that have a build of their own: one of their projects takes as long as three or four others. */
const BUILDING: ReadonlySet<string> = new Set([
  "next",
  "sveltekit",
  "nuxt",
  "astro",
  "react-router",
]);
const A_DAY = { building: 1, others: 4 };

/** One with a framework that builds, first because it takes longest, and four others. */
export function takeTurns(all: readonly Combination[], day: number): readonly Combination[] {
  const isBuilding = ({ framework }: Combination) => BUILDING.has(framework);
  return [
    ...ofToday(mix(all.filter(isBuilding)), A_DAY.building, day),
    ...ofToday(mix(all.filter((each) => !isBuilding(each))), A_DAY.others, day),
  ];
}

/** Spreads the combinations of each platform evenly over all; those with as many come after one another. */
function mix(all: readonly Combination[]): readonly Combination[] {
  const platforms = unique(all, "platform");
  return platforms
    .flatMap((platform, turn) => {
      const group = pair(all.filter((each) => each.platform === platform));
      return group.map((each, i) => ({
        each,
        place: (i + (turn + 0.5) / platforms.length) / group.length,
      }));
    })
    .toSorted((one, other) => one.place - other.place)
    .map(({ each }) => each);
}

/** One platform's, so that neighbours differ in the framework and in the database, where it has several. */
function pair(group: readonly Combination[]): readonly Combination[] {
  const frameworks = unique(group, "framework");
  const databases = unique(group, "database");
  const places = new Map(
    Array.from({ length: group.length }, (_, i) => {
      // After this many the pairs would come again: from there on with the next framework.
      const shift = Math.floor(i / leastCommonMultiple(frameworks.length, databases.length));
      const framework = frameworks[(i + shift) % frameworks.length] ?? "";
      return [`${framework}+${databases[i % databases.length] ?? ""}`, i] as const;
    }),
  );
  const placeOf = ({ framework, database }: Combination) =>
    places.get(`${framework}+${database}`) ?? group.length;
  return group.toSorted((one, other) => placeOf(one) - placeOf(other));
}

const unique = (all: readonly Combination[], kind: keyof Combination): readonly string[] => [
  ...new Set(all.map((each) => each[kind])),
];

function leastCommonMultiple(one: number, other: number): number {
  let multiple = one;
  while (multiple % other !== 0) multiple += one;
  return multiple;
}
