// The compiler says: is not assignable to type 'ContinuesWithAnotherState<string, number>'
import { defineWorkflow, Loop } from "@escapement/engine";

export const mistake = defineWorkflow({ name: "w" }, async (_event, step) => {
  await step.loop("pages", {
    state: 1,
    // @ts-expect-error
    run: async (own, page) => {
      const next = await own.do("read", () => `page ${page + 1}`);
      return page > 10 ? Loop.break(page) : Loop.continue(next);
    },
  });
});
