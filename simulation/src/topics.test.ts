/**
 * Messages to topics from steps and from outside, and runs that wait for them before, meanwhile and after, while emitters die
 * between chunks. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
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
function metBy({ books, topics, faultsMet }: Report): ReadonlySet<string> {
  const steps = [...books.outcomes.values()].flat();
  const waits = steps.filter(({ type }) => type === "waitForTopic");
  const ends = waits.map(({ status, error }) => `a wait ${error?.code ?? status}`);
  const emits = steps.filter(({ type }) => type === "emit").map(() => "an emit of a step");
  const handed = [...topics.waits.values()].filter(({ handedAt }) => handedAt < Infinity);
  const late = handed.filter(({ openedAt, handedAt }) => handedAt === openedAt);
  const left = [...topics.restsHanded].map(() => "what an emitter left");
  const cut = [...faultsMet].filter((met) => /^crash\w+ deliver$/u.test(met));
  return new Set([
    ...ends,
    ...emits,
    ...left,
    ...cut.map(() => "an emitter that dies between chunks"),
    ...late.map(() => "a message from before the wait"),
  ]);
}

/** Of how many seeds one meets with it, at least. */
const WANTED = {
  "a wait completed": 2,
  "a wait EVENT_TIMEOUT": 20,
  "a wait SCOPE_CLOSED": 10,
  "an emit of a step": 5,
  "a message from before the wait": 5,
  "what an emitter left": 20,
  "an emitter that dies between chunks": 100,
} as const;

describe(`${runs} simulations of topics from seed ${from}`, () => {
  for (let first = from; first < from + runs; first += SHARE) {
    const last = Math.min(first + SHARE, from + runs) - 1;
    it(`S6-015 seeds ${first} to ${last} keep every rule of the oracle`, async () => {
      const met = new Map<string, number>();
      for (let seed = first; seed <= last; seed += 1) {
        const own = { seed, profile: "topics" } as const;
        const { violations, report } = await play(own);
        expect(violations, commandOf(own)).toEqual([]);
        for (const one of metBy(report)) met.set(one, (met.get(one) ?? 0) + 1);
      }
      for (const [one, often] of Object.entries(WANTED))
        expect(met.get(one) ?? 0, one).toBeGreaterThan((last - first) / (2 * often) - 1);
    }, 300_000);
  }

  it("S6-015 reach the same rows on memory, SQLite and Postgres", async () => {
    const postgres = await createPostgresOpener();
    for (let seed = from; seed < from + 16; seed += 1) {
      const open = seed % 4 === 0 ? postgres.open : openSqlite;
      expect(await compareStores(makeScenario(seed, "topics"), open), `seed ${seed}`).toBeNull();
    }
    await postgres.remove();
  }, 300_000);
});
