/**
 * Programs and people of all kinds at once: ends, callbacks, children, batches, topics, rollbacks, and runs that begin again.
 * `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { describe, expect, it } from "vitest";
import { commandOf, play } from "./play.ts";
import { chooseSeeds } from "./series.ts";

const { runs, from } = chooseSeeds({ runs: 50 });

describe(`${runs} simulations of everything at once from seed ${from}`, () => {
  it("S5-033 keep every rule of the oracle", async () => {
    let again = 0;
    for (let seed = from; seed < from + runs; seed += 1) {
      const own = { seed, profile: "all" } as const;
      const { violations, report } = await play(own);
      expect(violations, commandOf(own)).toEqual([]);
      if (report.runs.some(({ runId }) => report.books.reopeningsOf(runId) > 0)) again += 1;
    }
    expect(again, "runs that were retried or brought back").toBeGreaterThan(runs / 10);
  }, 300_000);
});
