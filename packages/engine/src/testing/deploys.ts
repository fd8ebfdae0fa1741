/** One store under one version of a workflow's code after another. */
import { defineWorkflow, type WorkflowDefinition } from "../authoring/define-workflow.ts";
import type { WorkflowStep } from "../authoring/step.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "./fake-time.ts";
import { createHarness, type Harness } from "./harness.ts";

/** The workflow `w`, deployed anew with each call: a process of its own on the store that all share. */
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
