/** Charges through the payment service. */
import type { Order } from "./order.ts";
import { giveUp, type StepCall } from "./workflow.ts";

/** @throws when the service fails or hangs up, or the step's time is up: the same key may be sent again */
export async function charge(
  serviceUrl: string,
  order: Order,
  { idempotencyKey, signal }: StepCall,
): Promise<{ readonly chargeId: string }> {
  const { id: orderId, amountCents, currency } = order;
  const response = await fetch(`${serviceUrl}/charges`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
    body: JSON.stringify({ orderId, amountCents, currency }),
    signal,
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as { chargeId: string };
  const message = `the payment service answered ${response.status}: ${text}`;
  // It understood and says no: asking again would give the same answer.
  throw response.status < 500 ? giveUp(message) : new Error(message);
}
