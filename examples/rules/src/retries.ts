/** A charge that is tried again as long, and as late, as its errors say. */
import { defineWorkflow, RetryableError } from "@escapement/engine";

class CardDeclined extends Error {}

export const charge = defineWorkflow({ name: "charge" }, (_event, step) =>
  step.do(
    "charge",
    {
      retries: {
        limit: 8,
        delay: (attempt, error) => (error instanceof TypeError ? "1 minute" : attempt * 1000),
        shouldRetry: (error) => !(error instanceof CardDeclined),
      },
    },
    async () => {
      const response = await fetch("https://pay.example/charges", { method: "POST" });
      if (response.status === 402) throw new CardDeclined();
      if (response.status === 429)
        throw new RetryableError("the bank is busy", {
          retryAfterHeader: response.headers.get("retry-after"),
          retryAfter: "1 minute", // where the bank does not say
        });
      return response.json();
    },
  ),
);
