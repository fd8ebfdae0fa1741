/** A loop that has gone on for long: one step and one sleep each time, in virtual time. */
import { defineWorkflow, Loop } from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";
import type { TimedStore } from "./timed-stores.ts";

/** One instance of it, on a store of its own. */
export interface LongLoop {
  /** What each claim read since this was last emptied. */
  readonly claims: Claim[];
  /** Goes on for so many iterations. */
  readonly goOn: (iterations: number) => Promise<void>;
}

export interface Claim {
  /** Steps. */
  readonly rows: number;
  /** Of their JSON. */
  readonly bytes: number;
}

const PAUSE_MS = 600_000;

const LONG = defineWorkflow({ name: "long" }, (_event, step) =>
  step.loop("watch", {
    state: 0,
    run: async (own, count) => {
      await own.do("check", () => "x".repeat(100));
      await own.sleep("pause", PAUSE_MS);
      return Loop.continue(count + 1);
    },
  }),
);

export async function startLongLoop({ store, clock }: TimedStore): Promise<LongLoop> {
  const claims: Claim[] = [];
  const claim: typeof store.claim = async (request) => {
    const result = await store.claim(request);
    for (const { settled, open } of result.runs)
      claims.push({
        rows: settled.length + open.length,
        bytes: JSON.stringify([settled, open]).length,
      });
    return result;
  };
  const harness = createHarness({
    workflows: { LONG },
    store: { store: { ...store, claim }, clock },
  });
  await harness.workflows.LONG.create({ id: "x" });
  await harness.runUntilIdle();
  return { claims, goOn: (iterations) => harness.runThroughTime(iterations * PAUSE_MS) };
}
