import { defineWorkflow } from "@escapement/engine";
import { z } from "zod";

export const signup = defineWorkflow(
  {
    name: "signup",
    schema: z.object({ email: z.email() }),
    events: { confirmed: z.object({ at: z.string() }) },
  },
  async (event, step) => {
    // The result is kept. If the process dies in a body, that runs again: pass the idempotency key on.
    const user = await step.do("create user", ({ idempotencyKey }) => ({
      id: `user-${idempotencyKey.length}`,
      email: event.payload.email,
    }));

    // Nothing runs while it waits: not for a minute, not for a month.
    await step.sleep("let the mail arrive", "1 second");

    // null at the timeout; waitForEvent would throw.
    const confirmed = await step.tryWaitForEvent("confirmation", {
      type: "confirmed",
      timeout: "7 days",
    });
    if (confirmed === null) return { user, state: "expired" };

    const [welcome, crm] = await Promise.all([
      step.do("send welcome", { retries: { limit: 3, delay: "10 seconds" } }, () => "sent"),
      step.do("tell the CRM", { timeout: "30 seconds" }, () => "told"),
    ]);
    return { user, state: "active", confirmedAt: confirmed.payload.at, welcome, crm };
  },
);
