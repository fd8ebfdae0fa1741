/** Parents and their children. */
import { defineWorkflow, WorkflowError, type WorkflowStep } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

/** The body of a workflow. */
export type Author = (step: WorkflowStep, params: never) => unknown;

/** A workflow of a body. */
export const define = (name: string, run: Author) =>
  defineWorkflow({ name }, async (event, step) => run(step, event.payload as never));

/** A parent `p` and its child workflow `c`, both of which a test writes. */
export async function createFamily(parent: Author, child: Author) {
  const workflows = { P: define("p", parent), C: define("c", child) };
  const harness = createHarness({ workflows });
  const instance = await harness.workflows.P.create({ id: "x" });
  await harness.runUntilIdle();
  const children = async () => (await harness.engine.listInstances("c", {})).instances;
  return { harness, instance, children, status: () => harness.status("p", "x") };
}

/** What was thrown, as its code and that of its cause. */
export async function codes(call: () => Promise<unknown>): Promise<readonly unknown[]> {
  try {
    return [await call()];
  } catch (error) {
    if (!WorkflowError.is(error)) return [String(error)];
    const { cause } = error;
    return [
      error.code,
      WorkflowError.is(cause) ? cause.code : (cause as Error | undefined)?.message,
    ];
  }
}

/** A child that waits for an event. */
export const waitForGo = (step: WorkflowStep): Promise<unknown> =>
  step.waitForEvent("go", { type: "go" });
