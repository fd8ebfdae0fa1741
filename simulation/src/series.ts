/** Series of seeds as tests play them: every rule of the oracle is kept, and the seeds meet with what they are played for. */
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

/** The seeds that were chosen, in shares that one test plays each: a failure shows soon. @param runs unless `ESCAPEMENT_RUNS` says */
export function chooseSeeds({ runs: usual, share }: { runs: number; share: number }): {
  readonly runs: number;
  readonly from: number;
  readonly shares: readonly Share[];
} {
  const runs = Number(process.env["ESCAPEMENT_RUNS"] ?? usual);
  const from = Number(process.env["ESCAPEMENT_FROM"] ?? 1);
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

/** Memory is compared with SQLite, and every fourth time with Postgres. */
export async function expectSameRows(profile: Profile, { first, last }: Share): Promise<void> {
  const postgres = await createPostgresOpener();
  for (let seed = first; seed <= last; seed += 1) {
    const open = seed % 4 === 0 ? postgres.open : openSqlite;
    expect(await compareStores(makeScenario(seed, profile), open), `seed ${seed}`).toBeNull();
  }
  await postgres.remove();
}
