// The compiler says: Property 'skew' does not exist
import { defineWorkflow } from "@escapement/engine";
import { z } from "zod";

export const mistake = defineWorkflow(
  { name: "w", schema: z.object({ sku: z.string() }) },
  async ({ payload }, step) => {
    // @ts-expect-error
    await step.do("pack", () => payload.skew);
  },
);
