/**
 * Batches of events of several types, and replies that their senders ask for, while runners die and calls are lost.
 * `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
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
function metBy({ books, asks }: Report): ReadonlySet<string> {
  const steps = [...books.outcomes.values()].flat();
  const batches = steps.filter(({ type, status }) => type === "receive" && status === "completed");
  const sizes = batches.map(
    ({ result }) => `a batch of ${(JSON.parse(result ?? "[]") as readonly unknown[]).length}`,
  );
  const replies = steps.filter(({ type }) => type === "reply").map(() => "a reply");
  const answers = asks.flatMap((ask) => ask.answers.map(({ code }) => code));
  return new Set([...sizes, ...replies, ...answers]);
}

const WANTED = [
  "a batch of 0",
  "a batch of 1",
  "a batch of 2",
  "a batch of 3",
  "a reply",
  "open",
  "answered",
  "EVENT_NOT_ANSWERED",
];

describe(`${runs} simulations of batches and replies from seed ${from}`, () => {
  for (let first = from; first < from + runs; first += SHARE) {
    const last = Math.min(first + SHARE, from + runs) - 1;
    it(`S6-014 seeds ${first} to ${last} keep every rule of the oracle`, async () => {
      const met = new Map<string, number>();
      for (let seed = first; seed <= last; seed += 1) {
        const own = { seed, profile: "batches" } as const;
        const { violations, report } = await play(own);
        expect(violations, commandOf(own)).toEqual([]);
        for (const one of metBy(report)) met.set(one, (met.get(one) ?? 0) + 1);
      }
      for (const one of WANTED)
        expect(met.get(one) ?? 0, one).toBeGreaterThan((last - first) / 50 - 1);
    }, 300_000);
  }

  it("S6-014 reach the same rows on memory, SQLite and Postgres", async () => {
    const postgres = await createPostgresOpener();
    for (let seed = from; seed < from + 24; seed += 1) {
      const open = seed % 4 === 0 ? postgres.open : openSqlite;
      expect(await compareStores(makeScenario(seed, "batches"), open), `seed ${seed}`).toBeNull();
    }
    await postgres.remove();
  }, 300_000);
});
