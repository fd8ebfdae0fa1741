import { defineWorkflow } from "@escapement/engine";
import { payments } from "./outside.ts";

const shares = [100, 200, 300];

export const wrong = defineWorkflow({ name: "split" }, async (_event, step) => {
  // One name three times at once: the second and third call are refused, and the run fails.
  await Promise.all(shares.map((cents) => step.do("charge", () => payments.charge({ cents }))));
});

export const alsoWrong = defineWorkflow({ name: "split" }, async (_event, step) => {
  // Another name at every replay: charged again after the sleep.
  await step.do(`charge at ${Date.now()}`, () => payments.charge({ cents: 600 }));
  await step.sleep("let it settle", "1 day");
});

export const right = defineWorkflow({ name: "split" }, async (_event, step) => {
  for (const [index, cents] of shares.entries()) {
    await step.do(`charge share ${index}`, () => payments.charge({ cents }));
  }
});
