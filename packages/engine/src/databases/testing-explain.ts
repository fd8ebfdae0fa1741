/** For the tests of `explain`: an engine runs instances until there is something to explain. */
import { expect } from "vitest";
import { defineTopic, defineWorkflow, type WorkflowStep } from "../index.ts";
import type { StepRetries } from "../authoring/step-options.ts";
import type { Cause } from "../core/explain/explanation.ts";
import { createHarness } from "../testing/harness.ts";
import type { TimedStore } from "./testing-stores.ts";

export const news = defineTopic({ name: "news" });
const callbacks = {
  signingKeys: ["a-secret-of-the-caller-that-nobody-else-has"],
  url: "https://explain.example/api",
};

let plays = 0;

/** A workflow of its own, and functions that explain its only instance. */
export async function play(
  timed: TimedStore,
  run: (step: WorkflowStep) => Promise<unknown>,
  options: { readonly delay?: string; readonly runRetries?: StepRetries } = {},
) {
  plays += 1;
  const name = `w${plays}`;
  const { delay, ...config } = options;
  const workflow = defineWorkflow({ name, ...config }, async (_event, step) => run(step));
  const harness = createHarness({
    workflows: { W: workflow },
    topics: [news],
    callbacks,
    store: { store: timed.store, clock: timed.clock },
  });
  const create = { id: "x", ...(delay === undefined ? {} : { delay }) } as {
    readonly id: string;
  };
  const instance = await harness.workflows.W.create(create);
  const explain = () => harness.engine.explainInstance(name, "x");
  /** Expects this cause, and a sentence that contains the text. */
  const expects = async (cause: Cause, says: string, has: object = {}): Promise<void> => {
    const explanation = await explain();
    expect(explanation).toMatchObject({ cause, ...has });
    expect(explanation.sentence).toContain(says);
  };
  return { name, workflow, harness, instance, explain, expects };
}

export type Played = Awaited<ReturnType<typeof play>>;
