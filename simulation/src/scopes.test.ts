/** Programs of scopes inside each other, crashed and disturbed. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose others. */
import { describe, expect, it } from "vitest";
import { compareStores, createPostgresOpener, openSqlite } from "./differential.ts";
import { makeScenario } from "./generate/scenarios.ts";
import { commandOf, play } from "./play.ts";
import { chooseSeeds } from "./series.ts";

const { runs, from, shares } = chooseSeeds({ runs: 100 });
const rollbacks = chooseSeeds({ runs: 50 });

describe(`${rollbacks.runs} simulations of rollbacks from seed ${rollbacks.from}`, () => {
  it.each(rollbacks.shares)(
    "S6-009 S6-011 S3-032 seeds $first to $last keep every rule of the oracle, and some of them undo what a crash cut off",
    async ({ first, last }) => {
      let undone = 0;
      let again = 0;
      for (let seed = first; seed <= last; seed += 1) {
        const own = { seed, profile: "rollback" } as const;
        const { violations, report } = await play(own);
        expect(violations, commandOf(own)).toEqual([]);
        const undos = report.world.starts.filter(({ key }) => key.endsWith("/undo"));
        undone += undos.length;
        again += undos.filter(({ attempt }) => attempt > 1).length;
      }
      expect(undone).toBeGreaterThan(last - first);
      expect(again).toBeGreaterThan(0);
    },
    300_000,
  );

  it("S6-007 S6-009 reach the same rows on memory and SQLite", async () => {
    for (let seed = 1; seed <= 10; seed += 1)
      expect(
        await compareStores(makeScenario(seed, "rollback"), openSqlite),
        `seed ${seed}`,
      ).toBeNull();
  }, 300_000);
});

describe(`${runs} simulations of scopes from seed ${from}`, () => {
  for (const { first, last } of shares) {
    it(`S6-003 S6-005 S3-038 S3-041 S5-025 S3-039 seeds ${first} to ${last} keep every rule of the oracle`, async () => {
      for (let seed = first; seed <= last; seed += 1) {
        const own = { seed, profile: "scopes" } as const;
        const { violations } = await play(own);
        expect(violations, commandOf(own)).toEqual([]);
      }
    }, 300_000);
  }

  it("S6-007 S3-042 S3-036 reach the same rows on memory, SQLite and Postgres, trimmed loops among them", async () => {
    const postgres = await createPostgresOpener();
    let trimmed = 0;
    for (let seed = 1; seed <= 20; seed += 1) {
      const scenario = makeScenario(seed, "scopes");
      const open = seed % 4 === 0 ? postgres.open : openSqlite;
      expect(await compareStores(scenario, open), `seed ${seed}`).toBeNull();
      const { report } = await play({ seed, profile: "scopes" });
      for (const keys of report.books.trimmed.values()) trimmed += keys.size;
    }
    await postgres.remove();
    expect(trimmed).toBeGreaterThan(0);
  }, 300_000);
});
