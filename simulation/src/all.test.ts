/**
 * Programs and people of all kinds at once: ends, callbacks, children, batches, topics and rollbacks.
 * `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { describe, expect, it } from "vitest";
import { commandOf, play } from "./play.ts";

const runs = Number(process.env["ESCAPEMENT_RUNS"] ?? 100);
const from = Number(process.env["ESCAPEMENT_FROM"] ?? 1);

describe(`${runs} simulations of everything at once from seed ${from}`, () => {
  it("S5-033 keep every rule of the oracle", async () => {
    for (let seed = from; seed < from + runs; seed += 1) {
      const own = { seed, profile: "all" } as const;
      const { violations } = await play(own);
      expect(violations, commandOf(own)).toEqual([]);
    }
  }, 300_000);
});
