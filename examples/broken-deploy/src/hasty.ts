/** A first try to mend it, which renames a step on the way. What has reserved has done so under the old name. */
import { addVat, defineOrder } from "./order.ts";

export const hastyOrder = defineOrder(addVat, "reserve goods");
