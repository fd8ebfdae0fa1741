/** One store, and one version of a workflow's code after another. */
import { defineWorkflow, type WorkflowDefinition } from "../authoring/define-workflow.ts";
import type { WorkflowStep } from "../authoring/step.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "./fake-time.ts";
import { createHarness, type Harness } from "./harness.ts";

/** Deploys the workflow `w`: each call creates a new process on the shared store. */
export type Deploy = (
  run: (step: WorkflowStep) => Promise<unknown>,
) => Harness<{ readonly W: WorkflowDefinition }>;

export function createDeploys(): Deploy {
  const time = createFakeTime();
  const store = { store: createMemoryStore({ now: time.now }), clock: time };
  return (run) => {
    const W: WorkflowDefinition = defineWorkflow({ name: "w" }, (_event, step) => run(step));
    return createHarness({ workflows: { W }, store });
  };
}
