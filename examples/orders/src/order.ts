/** What an order is, wherever it comes from. */
import * as v from "valibot";

/** Orders above this amount wait for an approval, in hundredths of their currency. */
export const APPROVAL_LIMIT_CENTS = 100_000;

/** Params of one instance. */
export interface Order {
  readonly id: string;
  readonly customer: string;
  readonly sku: string;
  readonly quantity: number;
  readonly amountCents: number;
  readonly currency: "EUR" | "USD" | "GBP";
}

/** Checks what comes in over the HTTP API. */
export const orderSchema: v.GenericSchema<Order> = v.object({
  id: v.string(),
  customer: v.string(),
  sku: v.string(),
  quantity: v.pipe(v.number(), v.integer(), v.minValue(1)),
  amountCents: v.pipe(v.number(), v.integer(), v.minValue(1)),
  currency: v.picklist(["EUR", "USD", "GBP"]),
});

/** Whether the order has to be approved by a person. */
export const isLarge = (order: Order): boolean => order.amountCents > APPROVAL_LIMIT_CENTS;

/** For instance `1097.50 USD`. */
export const toPrice = ({
  amountCents,
  currency,
}: Pick<Order, "amountCents" | "currency">): string =>
  `${(amountCents / 100).toFixed(2)} ${currency}`;
