/** Small and big ones; those of all kinds that CI plays in a day are more than 2 000 together. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose others. */
import { describe, expect, it } from "vitest";
import { commandOf, play, profileOf } from "./play.ts";
import { chooseSeeds } from "./series.ts";

const { runs, from, shares } = chooseSeeds({ runs: 1000, share: 250 });

describe(`${runs} simulations from seed ${from}`, () => {
  for (const { first, last } of shares) {
    it(`S5-033 S0-002 S0-089 S2-007 seeds ${first} to ${last} keep every rule of the oracle`, async () => {
      for (let seed = first; seed <= last; seed += 1) {
        const own = { seed, profile: profileOf(seed) };
        const { violations } = await play(own);
        expect(violations, commandOf(own)).toEqual([]);
      }
    }, 300_000);
  }
});
