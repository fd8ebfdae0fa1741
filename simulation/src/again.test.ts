/**
 * Runs that are retried, brought back to a step, forked, restarted with and without new keys, and restarted or created by several
 * people at once, while runners die and calls are lost. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { describe, expect, it } from "vitest";
import { compareStores, createPostgresOpener, openSqlite } from "./differential.ts";
import { makeScenario } from "./generate/scenarios.ts";
import { commandOf, play } from "./play.ts";
import type { Report } from "./report.ts";

const runs = Number(process.env["ESCAPEMENT_RUNS"] ?? 500);
const from = Number(process.env["ESCAPEMENT_FROM"] ?? 1);
/** As many as one test plays: a failure shows soon. */
const SHARE = 250;

/** What a simulation has met with, each once. */
function metBy({ books, runs: reports, instances }: Report): ReadonlySet<string> {
  const rewinds = reports.map(
    ({ events }) => events.filter(({ type }) => type.startsWith("rewind ")).length,
  );
  const lives = reports.map(({ runId }) => books.reopeningsOf(runId));
  const wasRetried = lives.some((count, index) => count > (rewinds[index] ?? 0));
  const wasRestarted = instances.some(({ runNumber }) => runNumber > 1);
  const hasNewKeys = books.leases.some(
    ({ keyNumber, reopenings }) => keyNumber > 0 && reopenings === 0,
  );
  return new Set([
    ...(rewinds.some((count) => count > 0) ? ["rewind"] : []),
    ...(books.copied.size > 0 ? ["fork"] : []),
    ...(wasRetried ? ["retry"] : []),
    ...(wasRestarted ? ["restart"] : []),
    ...(hasNewKeys ? ["new keys"] : []),
  ]);
}

const WANTED = ["rewind", "fork", "retry", "restart", "new keys"];

describe(`${runs} simulations of runs that begin again from seed ${from}`, () => {
  for (let first = from; first < from + runs; first += SHARE) {
    const last = Math.min(first + SHARE, from + runs) - 1;
    it(`S6-021 S6-022 seeds ${first} to ${last} keep every rule of the oracle`, async () => {
      const met = new Map<string, number>();
      for (let seed = first; seed <= last; seed += 1) {
        const own = { seed, profile: "again" } as const;
        const { violations, report } = await play(own);
        expect(violations, commandOf(own)).toEqual([]);
        for (const one of metBy(report)) met.set(one, (met.get(one) ?? 0) + 1);
      }
      for (const one of WANTED)
        expect(met.get(one) ?? 0, one).toBeGreaterThan((last - first) / 25 - 1);
    }, 300_000);
  }

  it("S6-021 S6-022 reach the same rows on memory, SQLite and Postgres", async () => {
    const postgres = await createPostgresOpener();
    for (let seed = from; seed < from + 24; seed += 1) {
      const open = seed % 4 === 0 ? postgres.open : openSqlite;
      expect(await compareStores(makeScenario(seed, "again"), open), `seed ${seed}`).toBeNull();
    }
    await postgres.remove();
  }, 300_000);
});
