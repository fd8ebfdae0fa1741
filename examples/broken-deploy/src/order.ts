import { defineWorkflow } from "@escapement/engine";
import { z } from "zod";

const schema = z.object({
  net: z.number(),
  // Orders from abroad carry none.
  vat: z.object({ percent: z.number() }).optional(),
});

type Order = z.infer<typeof schema>;

/** What the shop's services have done, by idempotency key. In a real program these are calls over HTTP. */
export const shop = {
  reserved: new Map<string, number>(),
  charged: new Map<string, number>(),
  note(ledger: Map<string, number>, key: string): void {
    ledger.set(key, (ledger.get(key) ?? 0) + 1);
  },
};

const addVat = ({ net, vat }: Order): number => net + (net * (vat?.percent ?? 0)) / 100;

/** What was deployed: it takes for granted that every order has a VAT. */
const addVatWrongly = ({ net, vat }: Order): number =>
  net + (net * (vat as { percent: number }).percent) / 100;

const defineOrder = (price: (order: Order) => number, firstStep: string = "reserve") =>
  defineWorkflow({ name: "order", schema }, async (event, step) => {
    await step.do(firstStep, ({ idempotencyKey }) => shop.note(shop.reserved, idempotencyKey));
    const total = await step.do("price", { retries: { limit: 0, delay: 0 } }, () =>
      price(event.payload),
    );
    await step.do("charge", ({ idempotencyKey }) => shop.note(shop.charged, idempotencyKey));
    return { total };
  });

/** The deploy that broke the orders from abroad. */
export const brokenOrder = defineOrder(addVatWrongly);

/** A first try to mend it, which renames a step on the way. What has reserved has done so under the old name. */
export const hastyOrder = defineOrder(addVat, "reserve goods");

/** What is deployed in the end. */
export const mendedOrder = defineOrder(addVat);
