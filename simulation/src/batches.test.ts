/**
 * Batches of events of several types, and replies that their senders ask for, while runners die and calls are lost.
 * `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { describe, it } from "vitest";
import type { Report } from "./report.ts";
import { chooseSeeds, expectClean, expectSameRows } from "./series.ts";

const { runs, from, shares } = chooseSeeds({ runs: 50 });

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

/** By one seed of how many each is met with, at least. */
const WANTED = {
  "a batch of 0": 50,
  "a batch of 1": 50,
  "a batch of 2": 50,
  "a batch of 3": 50,
  "a reply": 50,
  open: 50,
  answered: 50,
  EVENT_NOT_ANSWERED: 50,
} as const;

describe(`${runs} simulations of batches and replies from seed ${from}`, () => {
  for (const share of shares)
    it(`S6-014 seeds ${share.first} to ${share.last} keep every rule of the oracle`, async () => {
      await expectClean({ profile: "batches", metBy, wanted: WANTED }, share);
    }, 300_000);

  it("S6-014 reach the same rows on memory, SQLite and Postgres", async () => {
    await expectSameRows("batches", { first: 1, last: 12 });
  }, 300_000);
});
