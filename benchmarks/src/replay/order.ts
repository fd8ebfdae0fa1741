/** The workflow whose histories are replayed, as it was deployed and as it is after an edit that some of its instances do not fit. */
import { defineWorkflow, type WorkflowDefinition } from "@escapement/engine";

export const STEPS = 10;
/** The edit renames the last step of one in so many. */
export const RENAMED_EVERY = 50;

/** Told by the code while it runs. */
export interface Watch {
  /** At the beginning of each run or replay. */
  readonly begun?: () => void;
  readonly bodyStarted: () => void;
}

/** Every second instance completes, the others wait for an event after their steps. */
export const defineOrder = (isEdited: boolean, { begun, bodyStarted }: Watch): WorkflowDefinition =>
  defineWorkflow({ name: "order" }, async ({ payload }, step) => {
    begun?.();
    const number = payload as number;
    const isRenamed = isEdited && number % RENAMED_EVERY === 0;
    for (let at = 1; at <= STEPS; at += 1)
      await step.do(isRenamed && at === STEPS ? "another" : `step ${at}`, () => {
        bodyStarted();
        return { number, at };
      });
    if (number % 2 === 1) await step.waitForEvent("go", { type: "go" });
    return number;
  });
