/** One workflow function, run from its creation to its end. */
import { expect } from "vitest";
import type { WorkflowEvent, WorkflowStep } from "../authoring/step.ts";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import type { RepeatedNames } from "../authoring/define-workflow.ts";
import type { Limits } from "../core/limits.ts";
import type { InstanceStatus, StepView } from "../ports/instance-views.ts";
import { createHarness, type Harness } from "./harness.ts";

/** The options of a test. */
export interface OneRunOptions {
  readonly limits?: Partial<Limits>;
  readonly repeatedNames?: RepeatedNames;
}

/** The run, and shortcuts to what tests look at. */
export interface OneRun {
  readonly harness: Pick<
    Harness<never>,
    "clock" | "restart" | "runUntilIdle" | "runThroughTime" | "tick" | "log"
  >;
  send(type: string, payload?: unknown): Promise<void>;
  status(): Promise<InstanceStatus>;
  steps(): Promise<readonly StepView[]>;
  /** Its steps as `key status`, by key. */
  rows(): Promise<readonly string[]>;
  /** Runs through time to the end, which must be a completion. @returns the output */
  output(): Promise<unknown>;
}

/** Creates an instance of the function. */
export async function createRun(
  run: (step: WorkflowStep, event: WorkflowEvent<unknown>) => unknown,
  { limits = {}, repeatedNames = "occurrences" }: OneRunOptions = {},
): Promise<OneRun> {
  const workflow = defineWorkflow({ name: "w", repeatedNames }, (event, step) =>
    Promise.resolve(run(step, event)),
  );
  const harness = createHarness({ workflows: { W: workflow }, limits });
  await harness.workflows.W.create({ id: "x" });
  const steps = async (): Promise<readonly StepView[]> => (await harness.history("w", "x")).steps;
  const status = (): Promise<InstanceStatus> => harness.status("w", "x");
  return {
    harness: harness as unknown as OneRun["harness"],
    send: (type, payload) => harness.sendEvent("w", "x", { type, payload }),
    status,
    steps,
    rows: async () => (await steps()).map((step) => `${step.stepKey} ${step.status}`).toSorted(),
    output: async () => {
      await harness.runThroughTime();
      const end = await status();
      expect(end).toMatchObject({ status: "complete" });
      return end.output;
    },
  };
}
