/** An instance that tests cancel. */
import { defineWorkflow, type WorkflowStep } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

/** The body of a workflow. */
export type Author = (step: WorkflowStep) => unknown;

/** An instance of a function, and what a test does to it. */
export async function createInstance(run: Author) {
  const W = defineWorkflow({ name: "w" }, async (_event, step) => run(step));
  const harness = createHarness({ workflows: { W } });
  const instance = await harness.workflows.W.create({ id: "x" });
  const rows = async (): Promise<readonly string[]> =>
    (await harness.history("w", "x")).steps
      .map((step) => `${step.stepKey} ${step.status}`)
      .toSorted();
  return { harness, instance, rows, status: () => harness.status("w", "x") };
}
