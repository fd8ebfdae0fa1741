/** Series of seeds as tests play them: every rule of the oracle is kept, and the seeds meet with what they are played for. */
import { ofToday } from "@escapement-internal/test-servers";
import { expect } from "vitest";
import { compareStores, createPostgresOpener, openSqlite } from "./differential.ts";
import type { Profile } from "./generate/profile.ts";
import { makeScenario } from "./generate/scenarios.ts";
import { commandOf, play } from "./play.ts";
import type { Report } from "./report.ts";

/** Seeds from `first` to `last`. */
export interface Share {
  readonly first: number;
  readonly last: number;
}

/** Each day plays the next seeds, and the fifth day those of the first again: a seed that fails is one that was never played. */
const DAYS = [0, 1, 2, 3];

/**
 * The seeds that were chosen, in shares that one test plays each: a failure shows soon.
 *
 * @param runs of a day. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` say otherwise, `ESCAPEMENT_DAY=all` plays those of all days
 */
export function chooseSeeds({ runs: ofDay, share = ofDay }: { runs: number; share?: number }): {
  readonly runs: number;
  readonly from: number;
  readonly shares: readonly Share[];
} {
  const { ESCAPEMENT_RUNS: asked, ESCAPEMENT_FROM: begin } = process.env;
  const days = asked === undefined && begin === undefined ? ofToday(DAYS, 1) : [0];
  const runs = Number(asked ?? ofDay * days.length);
  const from = Number(begin ?? 1 + ofDay * (days[0] ?? 0));
  const shares: Share[] = [];
  for (let first = from; first < from + runs; first += share)
    shares.push({ first, last: Math.min(first + share, from + runs) - 1 });
  return { runs, from, shares };
}

export interface Series {
  readonly profile: Profile;
  /** What a simulation has met with. */
  readonly metBy: (report: Report) => Iterable<string>;
  /** What is to be met with, and by one seed of how many at least. */
  readonly wanted: Readonly<Record<string, number>>;
}

export async function expectClean(
  { profile, metBy, wanted }: Series,
  { first, last }: Share,
): Promise<void> {
  const met = new Map<string, number>();
  for (let seed = first; seed <= last; seed += 1) {
    const own = { seed, profile };
    const { violations, report } = await play(own);
    expect(violations, commandOf(own)).toEqual([]);
    for (const one of new Set(metBy(report))) met.set(one, (met.get(one) ?? 0) + 1);
  }
  for (const [one, often] of Object.entries(wanted))
    expect(met.get(one) ?? 0, one).toBeGreaterThan((last - first) / often - 1);
}

/**
 * Memory is compared with SQLite, and every fourth time with Postgres. The seeds are the same every day: with some others, one call
 * more of one store moves an attempt or an end past what else happens at the same instant, and the rows tell that.
 */
export async function expectSameRows(profile: Profile, { first, last }: Share): Promise<void> {
  const postgres = await createPostgresOpener();
  for (let seed = first; seed <= last; seed += 1) {
    const open = seed % 4 === 0 ? postgres.open : openSqlite;
    expect(await compareStores(makeScenario(seed, profile), open), `seed ${seed}`).toBeNull();
  }
  await postgres.remove();
}
