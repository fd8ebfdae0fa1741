/** A step that fails, and its retries. */
import { defineWorkflow, type WorkflowStepConfig } from "../index.ts";
import { createHarness, type Harness } from "../testing/harness.ts";
import type { StepBody } from "../authoring/step-options.ts";

/** The retries of a step. */
export type Retries = NonNullable<WorkflowStepConfig["retries"]>;

/** Throws. */
export const boom = (): never => {
  throw new TypeError("boom");
};

/** An instance of one step `s`, whose attempts are noted by their instants. */
export async function start(retries: Retries, body: StepBody<unknown> = boom, timeout = 60_000) {
  const at: number[] = [];
  const caught: unknown[] = [];
  const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
    try {
      return await step.do("s", { retries, timeout }, (context) => {
        at.push(harness.clock.now());
        return body(context);
      });
    } catch (error) {
      caught.push(error);
      throw error;
    }
  });
  const harness: Harness<{ W: typeof workflow }> = createHarness({ workflows: { W: workflow } });
  await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  const delays = (): number[] => at.slice(1).map((instant, index) => instant - (at[index] ?? 0));
  const stepOf = async () => (await harness.history("w", "x")).steps[0];
  return { harness, delays, caught, stepOf, attempts: () => at.length };
}

/** The same, run as long as it goes on. */
export async function run(...given: Parameters<typeof start>) {
  const started = await start(...given);
  await started.harness.runThroughTime();
  return { ...started, status: await started.harness.status("w", "x") };
}

/** That each attempt throws an error of its own, so that they can be told apart. */
export const numbered: StepBody<never> = ({ attempt }) => {
  throw new RangeError(`no. ${attempt}`);
};
