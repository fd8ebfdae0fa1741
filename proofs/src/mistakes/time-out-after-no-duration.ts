// The compiler says: Type '"1 our"' is not assignable to type 'WorkflowDuration'
import { defineWorkflow } from "@escapement/engine";

export const mistake = defineWorkflow({ name: "w" }, async (_event, step) => {
  // @ts-expect-error
  await step.do("pack", { timeout: "1 our" }, () => 1);
});
