/**
 * Messages to topics from steps and from outside, and runs that wait for them before, meanwhile and after, while emitters die
 * between chunks. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { describe, it } from "vitest";
import type { Report } from "./report.ts";
import { chooseSeeds, expectClean, expectSameRows } from "./series.ts";

const { runs, from, shares } = chooseSeeds({ runs: 50 });

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

/** By one seed of how many each is met with, at least. */
const WANTED = {
  "a wait completed": 4,
  "a wait EVENT_TIMEOUT": 40,
  "a wait SCOPE_CLOSED": 20,
  "an emit of a step": 10,
  "a message from before the wait": 10,
  "what an emitter left": 40,
  "an emitter that dies between chunks": 200,
} as const;

describe(`${runs} simulations of topics from seed ${from}`, () => {
  for (const share of shares)
    it(`S6-015 seeds ${share.first} to ${share.last} keep every rule of the oracle`, async () => {
      await expectClean({ profile: "topics", metBy, wanted: WANTED }, share);
    }, 300_000);

  it("S6-015 reach the same rows on memory, SQLite and Postgres", async () => {
    await expectSameRows("topics", { first: 1, last: 12 });
  }, 300_000);
});
