/** Seeds 1 to 1000, small and big ones; those of all kinds that CI plays are more than 2 000 together. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose others. */
import { describe, expect, it } from "vitest";
import { commandOf, play, profileOf } from "./play.ts";

const runs = Number(process.env["ESCAPEMENT_RUNS"] ?? 1000);
const from = Number(process.env["ESCAPEMENT_FROM"] ?? 1);
/** As many as one test plays: a failure shows soon. */
const SHARE = 250;

describe(`${runs} simulations from seed ${from}`, () => {
  for (let first = from; first < from + runs; first += SHARE) {
    const last = Math.min(first + SHARE, from + runs) - 1;
    it(`S5-033 S0-002 S0-089 S2-007 seeds ${first} to ${last} keep every rule of the oracle`, async () => {
      for (let seed = first; seed <= last; seed += 1) {
        const own = { seed, profile: profileOf(seed) };
        const { violations } = await play(own);
        expect(violations, commandOf(own)).toEqual([]);
      }
    }, 300_000);
  }
});
