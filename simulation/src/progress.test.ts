/**
 * Runs that tell of their progress while they are killed, and readers that come back with their cursor when an answer was lost.
 * `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { describe, it } from "vitest";
import type { Report } from "./report.ts";
import { chooseSeeds, expectClean } from "./series.ts";

const { runs, from, shares } = chooseSeeds({ runs: 100, share: 100 });

/** What a simulation has met with, each once. */
function metBy({ streams, readers, faultsMet }: Report): ReadonlySet<string> {
  const told = [...streams.told.values()].flat();
  const attempts = told.filter(({ attempt }) => (attempt ?? 0) > 1);
  const restarted = told.filter(({ runNumber }) => runNumber > 1);
  const live = readers.filter(({ pages, seen }) => seen.length > 0 && pages > 3);
  const cut = [...faultsMet].filter((met) => /^(?:answerLost|crash\w+) commit$/u.test(met));
  return new Set([
    ...told.map(({ attempt }) => (attempt === null ? "an entry of a step" : "an entry of a body")),
    ...attempts.map(() => "an entry of a later attempt"),
    ...restarted.map(() => "an entry of a later run"),
    ...live.map(() => "a reader of several pages"),
    ...cut.map(() => "a commit whose answer is lost"),
  ]);
}

/** By one seed of how many each is met with, at least. */
const WANTED = {
  "an entry of a step": 4,
  "an entry of a body": 4,
  "an entry of a later attempt": 10,
  "an entry of a later run": 40,
  "a reader of several pages": 4,
  "a commit whose answer is lost": 6,
} as const;

describe(`${runs} simulations of progress from seed ${from}`, () => {
  for (const share of shares)
    it(`S6-017 seeds ${share.first} to ${share.last} keep every rule of the oracle`, async () => {
      await expectClean({ profile: "progress", metBy, wanted: WANTED }, share);
    }, 300_000);
});
