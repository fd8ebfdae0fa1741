import { defineWorkflow } from "@escapement/fragno";
import { z } from "zod";
import { myFragmentSchema } from "./schema.ts";

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
      // Writes inside step.do are persisted with the step boundary.
      tx.mutate((ctx) => {
        ctx.forSchema(myFragmentSchema).create("event", {
          sessionId: event.payload.sessionId,
          payload: message.payload ?? null,
        });
      });
    });

    return { ok: true };
  },
);
