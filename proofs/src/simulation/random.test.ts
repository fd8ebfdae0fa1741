/**
 * Random workflows with random deaths. `ESCAPEMENT_SEED` and `ESCAPEMENT_RUNS` choose others and more of them; a failure
 * prints the seed and the smallest program that fails.
 */
import fc from "fast-check";
import { describe, it } from "vitest";
import { checkCalm, checkReport } from "./oracle.ts";
import { programs } from "./program.ts";
import { CALM, type Death, simulate } from "./simulate.ts";

const seed = Number(process.env["ESCAPEMENT_SEED"] ?? 20_261_121);
const numRuns = Number(process.env["ESCAPEMENT_RUNS"] ?? 50);

interface Fate {
  readonly deaths: ReadonlyMap<number, Death>;
  readonly bodies: ReadonlySet<number>;
  readonly isDeadly: boolean;
}

const fates: fc.Arbitrary<Fate> = fc
  .record({
    deaths: fc.array(
      fc.tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom<Death>("before", "after", "hang")),
      { maxLength: 5 },
    ),
    bodies: fc.array(fc.integer({ min: 1, max: 15 }), { maxLength: 3 }),
    isDeadly: fc.boolean(),
  })
  .map(({ deaths, bodies, isDeadly }) => ({
    deaths: new Map(deaths),
    bodies: new Set(bodies),
    isDeadly,
  }));

describe(`random workflows, seed ${seed}, ${numRuns} runs`, () => {
  it(
    "S0-002 S0-089 S2-007 S6-012 S6-013 come to the same end as an undisturbed run, whatever dies",
    async () => {
      const property = fc.asyncProperty(programs, fates, async (program, fate) => {
        const calm = await simulate(program, CALM);
        checkCalm(program, calm);
        const report = await simulate(program, {
          isDeadly: fate.isDeadly,
          atCall: ({ call }) => fate.deaths.get(call) ?? "none",
          inBody: (count) => fate.bodies.has(count),
        });
        checkReport(program, report, calm);
      });
      await fc.assert(property, { seed, numRuns, endOnFailure: false });
    },
    Math.max(60_000, numRuns * 1000),
  );
});
