import { defineWorkflow } from "@escapement/engine";
import { z } from "zod";

const schema = z.object({
  net: z.number(),
  // Orders from abroad carry none.
  vat: z.object({ percent: z.number() }).optional(),
});

/** The params of an order. */
export type Order = z.infer<typeof schema>;

/** What the shop's services have done, by idempotency key. In a real program these are calls over HTTP. */
export const shop = {
  reserved: new Map<string, number>(),
  charged: new Map<string, number>(),
  note(ledger: Map<string, number>, key: string): void {
    ledger.set(key, (ledger.get(key) ?? 0) + 1);
  },
};

/** The right price, whether the order carries a VAT or not. */
export const addVat = ({ net, vat }: Order): number => net + (net * (vat?.percent ?? 0)) / 100;

/** The workflow, as each of the three deploys has it. */
export const defineOrder = (price: (order: Order) => number, firstStep: string = "reserve") =>
  defineWorkflow({ name: "order", schema }, async (event, step) => {
    await step.do(firstStep, ({ idempotencyKey }) => shop.note(shop.reserved, idempotencyKey));
    const total = await step.do("price", { retries: { limit: 0, delay: 0 } }, () =>
      price(event.payload),
    );
    await step.do("charge", ({ idempotencyKey }) => shop.note(shop.charged, idempotencyKey));
    return { total };
  });
