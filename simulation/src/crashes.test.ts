/** Generated programs under the published `crashEverywhere`. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose others. */
import { expect, it } from "vitest";
import { defineWorkflow, type WorkflowDefinition } from "@escapement/engine";
import { crashEverywhere } from "@escapement/engine/testing";
import { playProgram } from "./author.ts";
import { ProgramMaker } from "./generate/programs.ts";
import type { Program } from "./program.ts";
import { Random } from "./random.ts";
import { chooseSeeds } from "./series.ts";

const { runs, from } = chooseSeeds({ runs: 8 });

const makeProgram = (seed: number): Program =>
  new ProgramMaker(new Random(seed), {
    length: [2, 5],
    nesting: 2,
    failures: true,
    heals: false,
    children: false,
    loops: true,
    slow: false,
    poison: false,
    scopes: seed % 2 === 0,
    rollbacks: seed % 3 === 0,
    undone: 0.6,
    cleanups: false,
    batches: false,
    topics: [],
    deadlines: false,
    invokes: [],
  }).make();

/** Bodies read their keys, and fail as often as the program says. @param failures attempts that have failed, by key */
const toWorkflow = (program: Program, failures: Map<string, number>): WorkflowDefinition =>
  defineWorkflow({ name: "w" }, (_event, step) =>
    playProgram(program, step, {
      createdAt: new Date(0),
      observe: () => {},
      tellTime: () => {},
      body: ({ body: { fails } }, { idempotencyKey }) => {
        const failed = failures.get(idempotencyKey) ?? 0;
        if (fails !== null && failed >= fails) return Promise.resolve("returns");
        failures.set(idempotencyKey, failed + 1);
        return Promise.resolve("throws");
      },
      begins: () => {},
      mail: () => {},
      undoes: (_isRight, { idempotencyKey }) => void idempotencyKey,
      create: () => Promise.resolve(null),
      poison: () => Promise.resolve(),
    }),
  );

it(`crashEverywhere finds nothing in ${runs} correct programs from seed ${from}`, async () => {
  let crashCount = 0;
  for (let seed = from; seed < from + runs; seed += 1) {
    const failures = new Map<string, number>();
    const report = await crashEverywhere(toWorkflow(makeProgram(seed), failures), {
      maxCrashes: 25,
      setup: () => failures.clear(),
    });
    expect(report.findings, `seed ${seed}: ${report.text}`).toEqual([]);
    crashCount += report.crashCount;
  }
  expect(crashCount).toBeGreaterThan(runs * 10);
}, 300_000);
