// The compiler says: Type 'number' is not assignable to type 'Promise<LoopNext<number, undefined>> | LoopNext<number, undefined>'
import { defineWorkflow } from "@escapement/engine";

export const mistake = defineWorkflow({ name: "w" }, async (_event, step) => {
  // @ts-expect-error
  await step.loop("pages", { state: 1, run: (_own, page) => page + 1 });
});
