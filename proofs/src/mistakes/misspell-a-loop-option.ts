// The compiler says: 'comitEvery' does not exist
import { defineWorkflow, Loop } from "@escapement/engine";

export const mistake = defineWorkflow({ name: "w" }, async (_event, step) => {
  // @ts-expect-error
  await step.loop("pages", { state: 1, comitEvery: 5, run: (_own, page) => Loop.break(page) });
});
