/** The workflows that pages import when they show another part of an application. */
import { defineWorkflow } from "@escapement/engine";
import { z } from "zod";

export const ORDER = defineWorkflow({ name: "order" }, async (_event, step) => {
  await step.sleep("settle", "1 second");
});

export const signup = defineWorkflow(
  {
    name: "signup",
    schema: z.object({ email: z.email() }),
    events: { confirmed: z.object({ at: z.string() }) },
  },
  async (_event, step) => {
    await step.waitForEvent("confirmation", { type: "confirmed" });
  },
);
