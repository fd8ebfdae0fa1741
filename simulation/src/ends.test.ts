/**
 * Instances that are cancelled, or rolled back from outside, and callbacks whose tokens are used, used twice, late or forged,
 * while runners die and calls are lost. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { describe, expect, it } from "vitest";
import { ModelRun } from "./model.ts";
import { CANCELLED } from "./model-outcome.ts";
import type { Leaf, Program } from "./program.ts";
import type { Report } from "./report.ts";
import { chooseSeeds, expectClean, expectSameRows } from "./series.ts";

const { runs, from, shares } = chooseSeeds({ runs: 50 });

/** What a simulation has met with, each once. */
function metBy({ books, runs: reports }: Report): readonly string[] {
  const ends = [...books.ends.values()].map(({ kind, told }) => `${kind}, told of ${told}`);
  const codes = [...books.outcomes.values()].flatMap((steps) =>
    steps.map(({ error }) => error?.code ?? "none"),
  );
  const answers = reports.flatMap(({ uses }) =>
    uses.flatMap((use) => use.answers.map(({ code }) => code)),
  );
  const keys = [...books.outcomes.values()].flat().map(({ stepKey }) => stepKey);
  return [...ends, ...codes, ...answers, ...(keys.some(isUndo) ? ["undone"] : [])];
}

const isUndo = (key: string): boolean => key.endsWith("/undo");

/** By one seed of how many each is met with, at least. */
const WANTED = {
  "terminate, told of cancel": 50,
  "terminate, told of rollback": 50,
  "complete, told of null": 50,
  CANCELLED: 50,
  undone: 50,
  done: 50,
  CALLBACK_USED: 50,
  CALLBACK_LATE: 50,
  CALLBACK_INVALID: 50,
} as const;

describe(`${runs} simulations of requests to end and callbacks from seed ${from}`, () => {
  for (const share of shares)
    it(`S6-010 S6-016 S6-020 seeds ${share.first} to ${share.last} keep every rule of the oracle`, async () => {
      await expectClean({ profile: "ends", metBy, wanted: WANTED }, share);
    }, 300_000);

  it("S6-010 S6-016 S6-020 reach the same rows on memory, SQLite and Postgres", async () => {
    await expectSameRows("ends", { first: 1, last: 12 });
  }, 300_000);
});

describe("the model of a run that is cancelled", () => {
  const leaf = (name: string): Leaf => ({ kind: "sleep", name, ms: 1, depth: 0 });
  const ok = { ok: true, value: "x" } as const;
  const cleaned = (nodes: Program): Program => [
    {
      kind: "finally",
      name: "f",
      nodes,
      last: [{ kind: "shielded", name: "s", nodes: [leaf("clean")] }],
    },
  ];

  it("cleans up with shielded steps, and ends with what its steps threw", () => {
    const run = new ModelRun(cleaned([leaf("a")]));
    run.settle("a", CANCELLED);
    expect([...run.pending.keys()]).toEqual(["clean"]);
    expect([...run.shielded]).toEqual(["clean"]);
    run.settle("clean", ok);
    expect(run.end).toEqual(CANCELLED);
    expect(run.trace).toEqual(["a = failed", "f at the end", "clean = ok", "clean awaited"]);
  });

  it("ends a map whatever it tolerates, and begins no item more", () => {
    const branches = [cleaned([leaf("a")]), [leaf("b")], [leaf("c")]];
    const map = { kind: "scope", of: "map", name: "m", branches, depth: 0 } as const;
    const run = new ModelRun([{ ...map, concurrency: 2, tolerate: 1 }]);
    run.settle("m/0/a", CANCELLED);
    run.settle("m/1/b", ok);
    expect([...run.pending.keys()]).toEqual(["m/0/clean", "m/2/c"]);
    run.settle("m/0/clean", ok);
    run.settle("m/2/c", CANCELLED);
    expect(run.endedScopes.get("m")?.outcome).toEqual(CANCELLED);
  });
});
