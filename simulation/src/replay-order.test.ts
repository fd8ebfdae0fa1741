/**
 * What author code saw while it ran, and what it sees on every replay. Programs nest steps under all, race, any,
 * allSettled, chains of `then` and async iteration, with up to 14 awaits between a step and who awaits it; their runner
 * dies around most of its commits, so that each life replays what the ones before have seen.
 */
import { describe, expect, it } from "vitest";
import { commandOf, play, type Verdict } from "./play.ts";
import { chooseSeeds } from "./series.ts";
import { nodesOf } from "./walk.ts";

const { runs, from, shares } = chooseSeeds({ runs: 600 });

/** Times that author code ran again over steps which an earlier time had seen settle. */
function countReplays({ report }: Verdict): number {
  return report.world.executions.filter(({ lease, trace }) => {
    const seen = trace.filter((entry) => entry.includes(" = ")).length;
    return lease.settled.size > 0 && seen > 0;
  }).length;
}

const hasRace = ({ scenario }: Verdict): boolean =>
  scenario.workflows.some(({ versions }) =>
    nodesOf(versions[0]).some(({ kind }) => kind === "race" || kind === "any"),
  );

describe(`${runs} programs from seed ${from}, live and on every replay`, () => {
  for (const { first, last } of shares) {
    it(`S5-001 S5-002 seeds ${first} to ${last}: settlements are seen in one order, and a race has one winner`, async () => {
      let replays = 0;
      let races = 0;
      for (let seed = first; seed <= last; seed += 1) {
        const own = { seed, profile: "replay" } as const;
        const verdict = await play(own);
        expect(verdict.violations, commandOf(own)).toEqual([]);
        replays += countReplays(verdict);
        if (hasRace(verdict)) races += 1;
      }
      const played = last - first + 1;
      expect(replays, "executions that replay something").toBeGreaterThan(played);
      expect(races, "programs with a race").toBeGreaterThan(played / 5);
    }, 300_000);
  }
});
