/** Runs of one workflow. */
import { defineWorkflow, type WorkflowStep } from "../../index.ts";
import { createHarness } from "../../testing/harness.ts";

/** Runs a body to where it parks or ends. */
export const runOf = async (
  body: (step: WorkflowStep) => Promise<unknown>,
  options: { limits?: object; repeatedNames?: "cached" } = {},
) => {
  const { limits = {}, ...rest } = options;
  const w = defineWorkflow({ name: "w", ...rest }, async (_event, step) => body(step as never));
  const harness = createHarness({ workflows: { W: w }, limits });
  await harness.workflows.W.create({ id: "x" });
  return harness;
};
