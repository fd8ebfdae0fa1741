import { defineWorkflow } from "@escapement/engine";
import { payments } from "./outside.ts";

export const wrong = defineWorkflow({ name: "charge" }, async (_event, step) => {
  // The charge went through, its answer was lost: the retry charges again.
  await step.do("charge", () => payments.charge({ cents: 500 }));
});

export const right = defineWorkflow({ name: "charge" }, async (_event, step) => {
  await step.do("charge", ({ idempotencyKey }) => payments.charge({ cents: 500, idempotencyKey }));
});
