/** A refund that waits for a person. This file is the same, byte for byte, on every platform. */
import { defineWorkflow, NonRetryableError } from "@escapement/engine";
import * as v from "valibot";

/** Longer than any receipt; what a service answers beyond it is not ours to keep. */
const MAX_ANSWER_LENGTH = 500;

/**
 * @param payoutUrl the payout service, out of the deployment's settings. Never let a caller say what to fetch: a server
 *   reaches addresses that its callers do not
 */
export const defineRefund = (payoutUrl: string | undefined) => {
  const url = parsePayoutUrl(payoutUrl);
  return defineWorkflow(
    {
      name: "refund",
      schema: v.object({
        orderId: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
        cents: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000)),
      }),
      events: { decision: v.object({ approved: v.boolean() }) },
      retries: { limit: 5, delay: "1 second", backoff: "exponential" },
    },
    async ({ payload: { orderId, cents } }, step) => {
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
        const response = await fetch(url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "idempotency-key": attempt.idempotencyKey,
          },
          body: JSON.stringify({ caseId, cents }),
          // Another address than ours is not paid.
          redirect: "manual",
          signal: attempt.signal,
        });
        const answer = (await response.text()).slice(0, MAX_ANSWER_LENGTH);
        if (response.status === 400) throw new NonRetryableError(answer);
        if (!response.ok) throw new Error(`the payout service answered ${response.status}`);
        return answer;
      });
      return { caseId, state: "paid", receipt };
    },
  );
};

/** @throws where it is not set, or would send money in clear text over a network */
function parsePayoutUrl(text = ""): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLocal = url?.hostname === "127.0.0.1" && url.protocol === "http:";
  if (url !== null && (isLocal || url.protocol === "https:")) return url;
  throw new Error("PAYOUT_URL must be the https address of the payout service");
}
