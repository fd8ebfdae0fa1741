// The compiler says: Property 'bye' does not exist
import { defineWorkflow } from "@escapement/engine";
import { z } from "zod";

export const mistake = defineWorkflow(
  { name: "w", events: { approval: z.object({ by: z.string() }) } },
  async (_event, step) => {
    const { payload } = await step.waitForEvent("wait", { type: "approval" });
    // @ts-expect-error
    return payload.bye;
  },
);
