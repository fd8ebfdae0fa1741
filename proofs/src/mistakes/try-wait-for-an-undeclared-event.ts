// The compiler says: Type '"aproval"' is not assignable to type '"approval"'
import { defineWorkflow } from "@escapement/engine";
import { z } from "zod";

export const mistake = defineWorkflow(
  { name: "w", events: { approval: z.object({ by: z.string() }) } },
  async (_event, step) => {
    // @ts-expect-error
    await step.tryWaitForEvent("wait", { type: "aproval" });
  },
);
