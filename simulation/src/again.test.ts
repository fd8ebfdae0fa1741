/**
 * Runs that are retried, brought back to a step, forked, restarted with and without new keys, and restarted or created by several
 * people at once, while runners die and calls are lost. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { describe, it } from "vitest";
import type { Report } from "./report.ts";
import { chooseSeeds, expectClean, expectSameRows } from "./series.ts";

const { runs, from, shares } = chooseSeeds({ runs: 50 });

/** What a simulation has met with, each once. */
function metBy({ books, runs: reports, instances }: Report): ReadonlySet<string> {
  const rewinds = reports.map(
    ({ events }) => events.filter(({ type }) => type.startsWith("rewind ")).length,
  );
  const keepsKeys = reports.some(({ events }) =>
    events.some(({ payload }) => payload?.includes(`"keepsKeys":true`) === true),
  );
  const lives = reports.map(({ runId }) => books.reopeningsOf(runId));
  const wasRetried = lives.some((count, index) => count > (rewinds[index] ?? 0));
  const wasRestarted = instances.some(({ runNumber }) => runNumber > 1);
  const hasNewKeys = books.leases.some(
    ({ keyNumber, reopenings }) => keyNumber > 0 && reopenings === 0,
  );
  return new Set([
    ...(rewinds.some((count) => count > 0) ? ["rewind"] : []),
    ...(keepsKeys ? ["retry from a step"] : []),
    ...(books.copied.size > 0 ? ["fork"] : []),
    ...(wasRetried ? ["retry"] : []),
    ...(wasRestarted ? ["restart"] : []),
    ...(hasNewKeys ? ["new keys"] : []),
  ]);
}

/** By one seed of how many each is met with, at least. */
const WANTED = {
  rewind: 25,
  "retry from a step": 25,
  fork: 25,
  retry: 25,
  restart: 25,
  "new keys": 25,
} as const;

describe(`${runs} simulations of runs that begin again from seed ${from}`, () => {
  for (const share of shares)
    it(`S6-021 S6-022 seeds ${share.first} to ${share.last} keep every rule of the oracle`, async () => {
      await expectClean({ profile: "again", metBy, wanted: WANTED }, share);
    }, 300_000);

  it("S6-021 S6-022 reach the same rows on memory, SQLite and Postgres", async () => {
    await expectSameRows("again", { first: 1, last: 12 });
  }, 300_000);
});
