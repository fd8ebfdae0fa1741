// The compiler says: is not assignable to type 'AFunctionCannotBeStored'
import { defineWorkflow } from "@escapement/engine";

export const mistake = defineWorkflow({ name: "w" }, async (_event, step) => {
  // @ts-expect-error
  const add = await step.do("open", () => (cents: number) => cents + 1);
  return add(1);
});
