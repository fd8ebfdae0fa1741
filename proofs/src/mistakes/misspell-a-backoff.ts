// The compiler says: Type '"exponental"' is not assignable to type 'Backoff | undefined'
import { defineWorkflow } from "@escapement/engine";

export const mistake = defineWorkflow({ name: "w" }, async (_event, step) => {
  // @ts-expect-error
  await step.do("pack", { retries: { limit: 3, backoff: "exponental" } }, () => 1);
});
