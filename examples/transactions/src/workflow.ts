/** An order that is paid, or given up after a week. */
import { defineWorkflow } from "@escapement/engine";

/** What every test here starts: its params are the order's id. */
export const order = defineWorkflow({ name: "order" }, async (event, step) => {
  const { orderId } = event.payload as { readonly orderId: string };
  const paid = await step.waitForEvent<string>("paid", { type: "paid", timeout: "7 days" });
  return step.do("ship", () => `${orderId} paid by ${paid.payload}`);
});
