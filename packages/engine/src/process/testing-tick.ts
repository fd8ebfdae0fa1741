/** An engine that ticks. */
import { defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

/** A workflow of two steps. */
export const twoSteps = defineWorkflow({ name: "two" }, async (_event, step) => {
  await step.do("a", () => 1);
  await step.do("b", () => 2);
});

/** So many instances, and how many have completed. */
export async function setup(count: number) {
  const harness = createHarness({ workflows: { TWO: twoSteps }, concurrency: 4 });
  await harness.workflows.TWO.createBatch(
    Array.from({ length: count }, (_, index) => ({ id: `i${index}` })),
  );
  const complete = async (): Promise<number> =>
    (await harness.engine.listInstances("two", { status: "complete", pageSize: 100 })).instances
      .length;
  return { harness, complete };
}
