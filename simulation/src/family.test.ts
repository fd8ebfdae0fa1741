/**
 * Steps that start instances, which start others, in branches, loops and races, and parents that end first; while runners die and
 * calls are lost. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { describe, it } from "vitest";
import type { Report } from "./report.ts";
import { chooseSeeds, expectClean, expectSameRows } from "./series.ts";

const { runs, from, shares } = chooseSeeds({ runs: 50 });

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

/** By one seed of how many each is met with, at least. */
const WANTED = {
  completed: 125,
  CHILD_FAILED: 125,
  CHILD_TERMINATED: 125,
  INSTANCE_ID_ALREADY_EXISTS: 125,
  STEP_NOT_AWAITED: 125,
  SCOPE_CLOSED: 125,
  CANCELLED: 125,
  "told of terminate": 125,
  "told of rollback": 125,
  "a child of a child": 125,
  "a child that was restarted": 125,
} as const;

describe(`${runs} simulations of children from seed ${from}`, () => {
  for (const share of shares)
    it(`S6-012 S6-013 S3-056 seeds ${share.first} to ${share.last} keep every rule of the oracle`, async () => {
      await expectClean({ profile: "family", metBy, wanted: WANTED }, share);
    }, 300_000);

  it("S6-012 S6-013 reach the same rows on memory, SQLite and Postgres", async () => {
    await expectSameRows("family", { first: 1, last: 12 });
  }, 300_000);
});
