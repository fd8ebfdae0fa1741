/** Workflows of the worker application beside the contract's: they take their time, and tell when they ran. */
import { defineWorkflow } from "@escapement/engine";

/** A step, one whose first attempt takes `slowMs`, and a step. */
export const slow = defineWorkflow({ name: "slow" }, async ({ payload }, step) => {
  const { slowMs } = payload as { readonly slowMs: number };
  const key = await step.do("before", () => crypto.randomUUID());
  const attempts = await step.do("slow", async ({ attempt }) => {
    if (attempt === 1) await new Promise((resolve) => void setTimeout(resolve, slowMs));
    return attempt;
  });
  return step.do("after", () => ({ key, attempts }));
});

/** Sleeps until `napMs` have passed since it began. */
export const nap = defineWorkflow({ name: "nap" }, async ({ payload }, step) => {
  const { napMs } = payload as { readonly napMs: number };
  const wakeAt = await step.do("plan", () => Date.now() + napMs);
  await step.sleepUntil("nap", new Date(wakeAt));
  return step.do("wake", () => Date.now() >= wakeAt);
});

/** What rows are counted of: three steps, a sleep, an event. */
export const order = defineWorkflow({ name: "order" }, async (_event, step) => {
  const first = await step.do("first", () => 1);
  await step.sleep("a while", 500);
  const second = await step.do("second", () => first + 1);
  const { payload } = await step.waitForEvent("go", { type: "go" });
  return [await step.do("third", () => second + 1), payload];
});
