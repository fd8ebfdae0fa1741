/** Runs that begin again. */
import { defineWorkflow, type WorkflowStep } from "../index.ts";
import type { StepRetries } from "../authoring/step-options.ts";
import { createHarness } from "../testing/harness.ts";

/** In milliseconds. */
export const SECOND = 1000;
/** Two retries, ten seconds apart. */
export const POLICY: StepRetries = { limit: 2, delay: "10 seconds", backoff: "constant" };

/** What a workflow does. */
export type Author = (step: WorkflowStep) => unknown;

/** One instance, and when each of its runs began, in seconds. */
export function openHarness(run: Author, runRetries: StepRetries = POLICY) {
  const begun = new Set<number>();
  const W = defineWorkflow({ name: "w", runRetries }, async (_event, step) => {
    begun.add((harness.clock.now() - since) / SECOND);
    return run(step);
  });
  const harness = createHarness({ workflows: { W } });
  const since = harness.clock.now();
  return {
    harness,
    begun,
    create: harness.workflows.W.create,
    status: () => harness.status("w", "x"),
    rows: async (runNumber: number) =>
      (await harness.history("w", "x", runNumber)).steps.map(
        ({ stepKey, status }) => `${stepKey} ${status}`,
      ),
  };
}

/** A body that throws. */
export const throwing = (error: () => unknown) => () => {
  throw error();
};
