// The compiler says: is not assignable to type 'ContinuesWithAnotherState<{ summ: number; }, { sum: number; }>'
import { defineWorkflow, Loop } from "@escapement/engine";

export const mistake = defineWorkflow({ name: "w" }, (_event, step) =>
  step.loop("count", {
    state: { sum: 0 },
    // @ts-expect-error
    run: (_own, { sum }) => (sum > 10 ? Loop.break(sum) : Loop.continue({ summ: sum + 1 })),
  }),
);
