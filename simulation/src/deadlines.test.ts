/**
 * Runs that have deadlines, which people move, and that begin again when they fail as a whole, while runners die and calls are
 * lost. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { describe, expect, it } from "vitest";
import { compareStores, openSqlite } from "./differential.ts";
import { makeScenario } from "./generate/scenarios.ts";
import type { Report } from "./report.ts";
import { chooseSeeds, expectClean } from "./series.ts";

const { runs, from, shares } = chooseSeeds({ runs: 40 });

/** What a simulation has met with, each once. */
function metBy({ books, scenario }: Report): ReadonlySet<string> {
  const ends = [...books.ends.values()];
  return new Set([
    ...ends.map(({ kind, error }) => `${kind} ${error?.code ?? "plain"}`),
    ...ends.flatMap(({ kind, hasNewKeys }) => (kind === "retry" && hasNewKeys ? ["new keys"] : [])),
    ...scenario.actions.map(({ kind }) => kind),
  ]);
}

/** By one seed of how many each is met with, at least. */
const WANTED = {
  "fail DEADLINE_EXCEEDED": 8,
  "retry plain": 10,
  "new keys": 40,
  deadline: 4,
} as const;

describe(`${runs} simulations of deadlines and retries of runs from seed ${from}`, () => {
  for (const share of shares)
    it(`S6-023 S6-024 seeds ${share.first} to ${share.last} keep every rule of the oracle`, async () => {
      await expectClean({ profile: "deadlines", metBy, wanted: WANTED }, share);
    }, 300_000);

  it("S6-023 S6-024 reach the same rows on memory and SQLite", async () => {
    for (let seed = 1; seed <= 8; seed += 1)
      expect(
        await compareStores(makeScenario(seed, "deadlines"), openSqlite),
        `seed ${seed}`,
      ).toBeNull();
  }, 300_000);
});
