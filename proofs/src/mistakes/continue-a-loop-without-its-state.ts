// The compiler says: is not assignable to type 'ContinuesWithAnotherState<undefined, number>'
import { defineWorkflow, Loop } from "@escapement/engine";

export const mistake = defineWorkflow({ name: "w" }, async (_event, step) => {
  // @ts-expect-error
  await step.loop("pages", { state: 1, run: () => Loop.continue() });
});
