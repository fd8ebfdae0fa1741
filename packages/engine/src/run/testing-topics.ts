/** Runs that wait for topics. */
import { z } from "zod";
import { defineTopic, defineWorkflow, type WorkflowStep } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

/** A topic with a schema. */
export const placed = defineTopic({ name: "placed", schema: z.object({ n: z.number() }) });
/** A topic without one. */
export const anything = defineTopic({ name: "anything" });
/** Both. */
export const topics = [placed, anything];

/** The body of a workflow. */
export type Author = (step: WorkflowStep, params: never, at: Date) => unknown;

/** A workflow of a body. */
export const define = (run: Author) =>
  defineWorkflow({ name: "w" }, async (event, step) =>
    run(step, event.payload as never, event.timestamp),
  );

/** Instances that wait, and what they came to. */
export async function createWaiters(author: Author, ids: readonly string[] = ["x"]) {
  const harness = createHarness({ workflows: { W: define(author) }, topics });
  for (const id of ids) await harness.workflows.W.create({ id });
  await harness.runUntilIdle();
  const outputs = async (): Promise<readonly unknown[]> => {
    await harness.runUntilIdle();
    return Promise.all(
      ids.map(async (id) => {
        const { status, output, error } = await harness.status("w", id);
        return status === "complete" ? output : (error?.code ?? status);
      }),
    );
  };
  return { harness, engine: harness.engine, outputs };
}
