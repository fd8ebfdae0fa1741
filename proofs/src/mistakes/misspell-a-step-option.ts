// The compiler says: 'retry' does not exist
import { defineWorkflow } from "@escapement/engine";

export const mistake = defineWorkflow({ name: "w" }, async (_event, step) => {
  // @ts-expect-error
  await step.do("pack", { retry: 3 }, () => 1);
});
