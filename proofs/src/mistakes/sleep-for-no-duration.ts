// The compiler says: '"10 minits"' is not assignable to parameter of type 'WorkflowDuration'
import { defineWorkflow } from "@escapement/engine";

export const mistake = defineWorkflow({ name: "w" }, async (_event, step) => {
  // @ts-expect-error
  await step.sleep("nap", "10 minits");
});
