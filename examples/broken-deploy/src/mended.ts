/** What is deployed in the end. */
import { addVat, defineOrder } from "./order.ts";

export const mendedOrder = defineOrder(addVat);
