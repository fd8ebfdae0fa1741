/**
 * Steps that start instances, which start others, in branches, loops and races, and parents that end first; while runners die and
 * calls are lost. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
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
function metBy({ books, family, instances }: Report): ReadonlySet<string> {
  const steps = [...books.outcomes.values()].flat().filter(({ type }) => type === "invoke");
  const ends = steps.map(({ status, error }) => error?.code ?? status);
  const told = [...books.ends.values()].map((end) => `told of ${end.told}`);
  const isNested = family.children.some(({ parentRunId }) => parentRunId.startsWith("kid/"));
  const again = instances.some(({ parent, runNumber }) => parent !== null && runNumber > 1);
  return new Set([
    ...ends,
    ...told,
    ...(isNested ? ["a child of a child"] : []),
    ...(again ? ["a child that was restarted"] : []),
  ]);
}

const WANTED = [
  "completed",
  "CHILD_FAILED",
  "CHILD_TERMINATED",
  "INSTANCE_ID_ALREADY_EXISTS",
  "STEP_NOT_AWAITED",
  "SCOPE_CLOSED",
  "CANCELLED",
  "told of terminate",
  "told of rollback",
  "a child of a child",
  "a child that was restarted",
];

describe(`${runs} simulations of children from seed ${from}`, () => {
  for (let first = from; first < from + runs; first += SHARE) {
    const last = Math.min(first + SHARE, from + runs) - 1;
    it(`S6-012 S6-013 S3-056 seeds ${first} to ${last} keep every rule of the oracle`, async () => {
      const met = new Map<string, number>();
      for (let seed = first; seed <= last; seed += 1) {
        const own = { seed, profile: "family" } as const;
        const { violations, report } = await play(own);
        expect(violations, commandOf(own)).toEqual([]);
        for (const one of metBy(report)) met.set(one, (met.get(one) ?? 0) + 1);
      }
      for (const one of WANTED)
        expect(met.get(one) ?? 0, one).toBeGreaterThan((last - first) / 125 - 1);
    }, 300_000);
  }

  it("S6-012 S6-013 reach the same rows on memory, SQLite and Postgres", async () => {
    const postgres = await createPostgresOpener();
    for (let seed = from; seed < from + 24; seed += 1) {
      const open = seed % 4 === 0 ? postgres.open : openSqlite;
      expect(await compareStores(makeScenario(seed, "family"), open), `seed ${seed}`).toBeNull();
    }
    await postgres.remove();
  }, 300_000);
});
