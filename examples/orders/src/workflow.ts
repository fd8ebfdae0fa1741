/** The workflow of the demo: one instance per order. */
import {
  defineWorkflow,
  NonRetryableError,
  type WorkflowDefinition,
  WorkflowError,
} from "@escapement/engine";
import * as v from "valibot";
import { isLarge, type Order, orderSchema } from "./order.ts";

/** What one attempt of a step is given: the key is the same for every attempt. */
export interface StepCall {
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

/** The world outside. Each verb may be called again with the same key and then changes nothing. */
export interface OrderServices {
  reserveStock(order: Order, call: StepCall): Promise<{ readonly reservationId: string }>;
  releaseStock(reservationId: string, call: StepCall): Promise<void>;
  /** Rejects when the payment service fails, stalls or hangs up: then nobody knows whether it charged. */
  charge(order: Order, call: StepCall): Promise<{ readonly chargeId: string }>;
  writeReceipt(receipt: Receipt): Promise<void>;
}

/** What the receipt file says; the same for every attempt. */
export interface Receipt {
  readonly order: Order;
  readonly reservationId: string;
  readonly chargeId: string;
  readonly approvedBy: string | null;
}

/** Payload of the event `approval`. */
export interface Approval {
  readonly approved: boolean;
  readonly by: string;
}

/** What an instance returns. */
export type Outcome =
  | { readonly outcome: "shipped"; readonly chargeId: string }
  | { readonly outcome: "cancelled"; readonly reason: string };

const approvalSchema: v.GenericSchema<Approval> = v.object({
  approved: v.boolean(),
  by: v.pipe(v.string(), v.minLength(1)),
});

const outcomeSchema: v.GenericSchema<Outcome> = v.variant("outcome", [
  v.object({ outcome: v.literal("shipped"), chargeId: v.string() }),
  v.object({ outcome: v.literal("cancelled"), reason: v.string() }),
]);

/** Short, so that the demo is over in a minute. A real shop would wait longer. */
const QUICK_RETRIES = { limit: 100, delay: 300, backoff: "constant", jitter: 0.5 } as const;

/** Declares the workflow over the services of this process. */
export function defineOrderWorkflow(services: OrderServices): WorkflowDefinition<Order> {
  return defineWorkflow(
    {
      name: "order",
      schema: orderSchema,
      output: outcomeSchema,
      events: { approval: approvalSchema },
      retries: QUICK_RETRIES,
      timeout: "5 seconds",
    },
    async (event, step): Promise<Outcome> => {
      const order = event.payload;
      const { reservationId } = await step.do("reserve stock", (call) =>
        services.reserveStock(order, call),
      );
      const cancel = async (reason: string): Promise<Outcome> => {
        await step.do("release stock", (call) => services.releaseStock(reservationId, call));
        return { outcome: "cancelled", reason };
      };
      let approvedBy: string | null = null;
      if (isLarge(order)) {
        try {
          const { payload } = await step.waitForEvent("approval", {
            type: "approval",
            timeout: "30 minutes",
          });
          if (!payload.approved) return await cancel(`refused by ${payload.by}`);
          approvedBy = payload.by;
        } catch (error) {
          // Only a real timeout comes here: a worker that dies meanwhile is not an error to the workflow.
          if (!WorkflowError.is(error) || error.code !== "EVENT_TIMEOUT") throw error;
          return await cancel("nobody approved it in time");
        }
      }
      const { chargeId } = await step.do("charge", { timeout: 1200 }, (call) =>
        services.charge(order, call),
      );
      await step.sleep("pack", "2 seconds");
      await step.do("write receipt", () =>
        services.writeReceipt({ order, reservationId, chargeId, approvedBy }),
      );
      return { outcome: "shipped", chargeId };
    },
  );
}

/** For services: no attempt can succeed. */
export const giveUp = (message: string): NonRetryableError => new NonRetryableError(message);
