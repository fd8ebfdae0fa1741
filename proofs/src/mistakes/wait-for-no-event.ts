// The compiler says: Expected 2-3 arguments, but got 1
import { defineWorkflow } from "@escapement/engine";

export const mistake = defineWorkflow({ name: "w" }, async (_event, step) => {
  // @ts-expect-error
  await step.waitForEvent("approval");
});
