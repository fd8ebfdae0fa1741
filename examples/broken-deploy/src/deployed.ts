/** The deploy that broke the orders from abroad. */
import { defineOrder, type Order } from "./order.ts";

/** It takes for granted that every order has a VAT. */
const addVatWrongly = ({ net, vat }: Order): number =>
  net + (net * (vat as { percent: number }).percent) / 100;

export const brokenOrder = defineOrder(addVatWrongly);
