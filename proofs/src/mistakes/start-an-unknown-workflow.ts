// The compiler says: Property 'SHIPP' does not exist
import { defineWorkflow, type WorkflowContext } from "@escapement/engine";
import type { Ship } from "./shop.ts";

export const mistake = defineWorkflow(
  { name: "w" },
  async (_event, step, { workflows }: WorkflowContext<{ SHIP: Ship }>) => {
    // @ts-expect-error
    await step.do("ship", () => workflows.SHIPP.create({ params: { to: "Ada" } }));
  },
);
