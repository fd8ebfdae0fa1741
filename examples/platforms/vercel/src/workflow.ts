/** A refund that waits for a person. This file is the same, byte for byte, on every platform. */
import { defineWorkflow, NonRetryableError } from "@escapement/engine";
import * as v from "valibot";

export const refund = defineWorkflow(
  {
    name: "refund",
    schema: v.object({ orderId: v.string(), cents: v.number(), payoutUrl: v.string() }),
    events: { decision: v.object({ approved: v.boolean() }) },
    retries: { limit: 5, delay: "1 second", backoff: "exponential" },
  },
  async ({ payload: { orderId, cents, payoutUrl } }, step) => {
    // A step's result is kept. What differs from one call to the next belongs inside.
    const caseId = await step.do("open case", () => `${orderId}-${crypto.randomUUID()}`);

    // Nothing runs while it waits.
    await step.sleep("cool down", "1 second");
    const decision = await step.tryWaitForEvent("decision", {
      type: "decision",
      timeout: "7 days",
    });
    if (decision === null) return { caseId, state: "expired" };
    if (!decision.payload.approved) return { caseId, state: "refused" };

    // At least once: every attempt has the same key, so that the payout service pays once.
    const receipt = await step.do("pay", { timeout: "10 seconds" }, async (attempt) => {
      const headers = { "idempotency-key": attempt.idempotencyKey };
      const body = JSON.stringify({ caseId, cents });
      const init = { method: "POST", headers, body, signal: attempt.signal };
      const response = await fetch(payoutUrl, init);
      if (response.status === 400) throw new NonRetryableError(await response.text());
      if (!response.ok) throw new Error(`the payout service answered ${response.status}`);
      return response.text();
    });
    return { caseId, state: "paid", receipt };
  },
);
