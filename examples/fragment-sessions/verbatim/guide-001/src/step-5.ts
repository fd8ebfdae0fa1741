/** Step 5 of the founding guide 001, word for word but for the packages, in the workflow of step 1. */
import { defineWorkflow } from "@escapement/fragno";
import { z } from "zod";
import { myFragmentSchema } from "./schema";

const sessionParamsSchema = z.object({
  sessionId: z.string(),
  agentName: z.string(),
});

export const SessionWorkflow = defineWorkflow(
  { name: "session-workflow", schema: sessionParamsSchema },
  async (event, step) => {
    // Wait for an external signal before continuing.
    const message = await step.waitForEvent("user-message", {
      type: "user_message",
      timeout: "7 days",
    });

    await step.do("persist-message", (tx) => {
      tx.mutate((ctx) => {
        ctx.forSchema(myFragmentSchema).create("event", {
          sessionId: event.payload.sessionId,
          payload: message.payload ?? null,
        });
      });

      return { ok: true };
    });

    return { ok: true };
  },
);
