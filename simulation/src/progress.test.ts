/**
 * Runs that tell of their progress while they are killed, and readers that come back with their cursor when an answer was lost.
 * `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { describe, expect, it } from "vitest";
import { commandOf, play } from "./play.ts";
import type { Report } from "./report.ts";

const runs = Number(process.env["ESCAPEMENT_RUNS"] ?? 200);
const from = Number(process.env["ESCAPEMENT_FROM"] ?? 1);
/** As many as one test plays: a failure shows soon. */
const SHARE = 100;

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

/** Of how many seeds one meets with it, at least. */
const WANTED = {
  "an entry of a step": 2,
  "an entry of a body": 2,
  "an entry of a later attempt": 5,
  "an entry of a later run": 20,
  "a reader of several pages": 2,
  "a commit whose answer is lost": 3,
} as const;

describe(`${runs} simulations of progress from seed ${from}`, () => {
  for (let first = from; first < from + runs; first += SHARE) {
    const last = Math.min(first + SHARE, from + runs) - 1;
    it(`S6-017 seeds ${first} to ${last} keep every rule of the oracle`, async () => {
      const met = new Map<string, number>();
      for (let seed = first; seed <= last; seed += 1) {
        const own = { seed, profile: "progress" } as const;
        const { violations, report } = await play(own);
        expect(violations, commandOf(own)).toEqual([]);
        for (const one of metBy(report)) met.set(one, (met.get(one) ?? 0) + 1);
      }
      for (const [one, often] of Object.entries(WANTED))
        expect(met.get(one) ?? 0, one).toBeGreaterThan((last - first) / (2 * often) - 1);
    }, 300_000);
  }
});
