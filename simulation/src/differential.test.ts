/** One seed on several stores. `ESCAPEMENT_RUNS` plays more of them. */
import { describe, expect, it } from "vitest";
import { compareStores, createPostgresOpener, openSqlite } from "./differential.ts";
import { makeScenario } from "./generate/scenarios.ts";
import { profileOf } from "./play.ts";

const runs = Number(process.env["ESCAPEMENT_RUNS"] ?? 30);
const seeds = Array.from({ length: runs }, (_, index) => index + 1);

describe("the same seed", () => {
  it("S5-033 reaches the same rows on memory and SQLite", async () => {
    for (const seed of seeds) {
      const difference = await compareStores(makeScenario(seed, profileOf(seed)), openSqlite);
      expect(difference, `seed ${seed}`).toBeNull();
    }
  }, 300_000);

  it("S5-033 reaches the same rows on memory and Postgres", async () => {
    const { open, remove } = await createPostgresOpener();
    for (const seed of seeds.slice(0, Math.ceil(runs / 3))) {
      const difference = await compareStores(makeScenario(seed, profileOf(seed)), open);
      expect(difference, `seed ${seed}`).toBeNull();
    }
    await remove();
  }, 300_000);
});
