/**
 * Whatever has happened to an instance, its own code replays what is stored of it: nothing diverges, in the middle of its life
 * or after it. `ESCAPEMENT_RUNS` and `ESCAPEMENT_FROM` choose other seeds.
 */
import { defineTopic, defineWorkflow, type WorkflowDefinition } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { replayHistories } from "@escapement/engine/testing";
import { describe, expect, it } from "vitest";
import type { Execution } from "./author-place.ts";
import { playProgram } from "./author.ts";
import { makeScenario } from "./generate/scenarios.ts";
import { commandOf } from "./play.ts";
import type { Scenario } from "./scenario.ts";
import { chooseSeeds } from "./series.ts";
import { simulate } from "./simulate.ts";
import type { Store } from "./world/engine-types.ts";

const { runs, from } = chooseSeeds({ runs: 40 });
/** Commits from one look to the next. */
const LOOK_EVERY = 40;

/** Author code in a world that nothing happens to. */
const toExecution = (createdAt: Date): Execution => ({
  createdAt,
  observe: () => {},
  tellTime: () => {},
  begins: () => {},
  mail: () => {},
  undoes: () => {},
  poison: () => Promise.resolve(),
  body: () => Promise.reject(new Error("a body was started")),
  create: () => Promise.reject(new Error("a body was started")),
});

const define = ({ name, versions }: Scenario["workflows"][number]): WorkflowDefinition =>
  defineWorkflow({ name }, (event, step) =>
    playProgram(versions.at(-1) ?? [], step, toExecution(event.timestamp)),
  );

/** A run that was cancelled and is brought back has the clean-up of its first life in its history, and does not call it again. */
const withoutSecondLives = (scenario: Scenario): Scenario => ({
  ...scenario,
  actions: scenario.actions.filter(({ kind }) => !["retry", "rewind", "fork"].includes(kind)),
});

async function findDivergences(scenario: Scenario): Promise<{ text: string; looks: number }> {
  const workflows = Object.fromEntries(scenario.workflows.map((plan) => [plan.name, define(plan)]));
  const topics = (scenario.topics ?? []).map((name) => defineTopic({ name }));
  let commits = 0;
  let looks = 0;
  let text = "";
  const look = async (store: Store): Promise<void> => {
    try {
      const report = await replayHistories({ workflows, topics, store });
      looks += report.replayedCount;
      if (report.divergedCount > 0) text ||= report.text;
    } catch (error) {
      text ||= String(error);
    }
  };
  await simulate(scenario, (scheduler) => {
    const store = createMemoryStore({ now: () => scheduler.now });
    const commit: Store["commit"] = async (given) => {
      const results = await store.commit(given);
      commits += 1;
      if (commits % LOOK_EVERY === 0) await look(store);
      return results;
    };
    return { store: { ...store, commit }, isQuick: false };
  });
  return { text, looks };
}

describe(`${runs} simulations of everything at once from seed ${from}`, () => {
  it("S8-013 what is stored of an instance replays by its own code, whatever has happened to it", async () => {
    let looks = 0;
    for (let seed = from; seed < from + runs; seed += 1) {
      const scenario = withoutSecondLives(makeScenario(seed, "all"));
      if (scenario.workflows.some(({ versions }) => versions.length > 1)) continue;
      const found = await findDivergences(scenario);
      expect(found.text, commandOf({ seed, profile: "all" })).toBe("");
      looks += found.looks;
    }
    expect(looks).toBeGreaterThan(runs);
  }, 300_000);
});
