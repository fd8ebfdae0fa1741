/** The workflows that the mistakes are made with. */
import {
  createEngine,
  defineWorkflow,
  type Engine,
  type WorkflowDefinition,
  type WorkflowInstance,
} from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { z } from "zod";

export type Ship = WorkflowDefinition<{ readonly to: string }>;
export type Order = WorkflowDefinition<
  { sku: string; count: number },
  { cents: number },
  typeof events
>;

const events = { approval: z.object({ by: z.string() }), refusal: z.undefined() } as const;

export const ship: Ship = defineWorkflow(
  { name: "ship", schema: z.object({ to: z.string() }) },
  () => null,
);

export const order: Order = defineWorkflow(
  {
    name: "order",
    schema: z.object({ sku: z.string(), count: z.number() }),
    output: z.object({ cents: z.number() }),
    events,
  },
  async (_event, step) => {
    await step.waitForEvent("approve", { type: "approval" });
    return { cents: 100 };
  },
);

export const engine: Engine<{ readonly ORDER: Order; readonly SHIP: Ship }> = createEngine({
  workflows: { ORDER: order, SHIP: ship },
  store: createMemoryStore(),
});

export const instance: WorkflowInstance<{ cents: number }, typeof events> =
  await engine.workflows.ORDER.create({ params: { sku: "a", count: 1 } });
