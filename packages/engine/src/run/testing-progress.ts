/** Runs that tell of their progress. */
import { defineWorkflow, type WorkflowStep } from "../index.ts";
import type { Limits } from "../core/limits.ts";
import { createHarness } from "../testing/harness.ts";

/** A workflow of a body. */
export const define = (run: (step: WorkflowStep) => unknown) =>
  defineWorkflow({ name: "w" }, async (_event, step) => run(step));

/** Creates the one instance. */
export async function start(run: (step: WorkflowStep) => unknown, limits: Partial<Limits> = {}) {
  const harness = createHarness({ workflows: { W: define(run) }, limits });
  const instance = await harness.workflows.W.create({ id: "x" });
  return { harness, engine: harness.engine, instance };
}
