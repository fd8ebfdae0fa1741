/**
 * Runs that have deadlines, which people move, and that begin again when they fail as a whole, while runners die and calls are
 * lost. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { describe, expect, it } from "vitest";
import { compareStores, openSqlite } from "./differential.ts";
import { makeScenario } from "./generate/scenarios.ts";
import { commandOf, play } from "./play.ts";
import type { Report } from "./report.ts";

const runs = Number(process.env["ESCAPEMENT_RUNS"] ?? 150);
const from = Number(process.env["ESCAPEMENT_FROM"] ?? 1);

/** What a simulation has met with, each once. */
function metBy({ books, scenario }: Report): ReadonlySet<string> {
  const ends = [...books.ends.values()];
  return new Set([
    ...ends.map(({ kind, error }) => `${kind} ${error?.code ?? "plain"}`),
    ...ends.flatMap(({ kind, hasNewKeys }) => (kind === "retry" && hasNewKeys ? ["new keys"] : [])),
    ...scenario.actions.map(({ kind }) => kind),
  ]);
}

/** Of how many seeds one meets with it, at least. */
const WANTED = {
  "fail DEADLINE_EXCEEDED": 4,
  "retry plain": 5,
  "new keys": 20,
  deadline: 2,
} as const;

describe(`${runs} simulations of deadlines and retries of runs from seed ${from}`, () => {
  it("S6-023 S6-024 keep every rule of the oracle", async () => {
    const met = new Map<string, number>();
    for (let seed = from; seed < from + runs; seed += 1) {
      const own = { seed, profile: "deadlines" } as const;
      const { violations, report } = await play(own);
      expect(violations, commandOf(own)).toEqual([]);
      for (const one of metBy(report)) met.set(one, (met.get(one) ?? 0) + 1);
    }
    for (const [one, often] of Object.entries(WANTED))
      expect(met.get(one) ?? 0, one).toBeGreaterThan(runs / (2 * often) - 1);
  }, 300_000);

  it("S6-023 S6-024 reach the same rows on memory and SQLite", async () => {
    for (let seed = from; seed < from + 8; seed += 1)
      expect(
        await compareStores(makeScenario(seed, "deadlines"), openSqlite),
        `seed ${seed}`,
      ).toBeNull();
  }, 300_000);
});
