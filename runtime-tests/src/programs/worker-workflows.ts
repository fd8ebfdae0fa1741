/** Workflows of the worker application beside the contract's: they take their time, and tell when they ran. */
import { defineWorkflow } from "@escapement/engine";

const wait = (durationMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, durationMs);
  });

/** A step, one that takes `slowMs`, and a step. */
export const slow = defineWorkflow({ name: "slow" }, async ({ payload }, step) => {
  const { slowMs } = payload as { readonly slowMs: number };
  const beganAt = await step.do("before", () => Date.now());
  await step.do("slow", async () => {
    await wait(slowMs);
    return Date.now();
  });
  return step.do("after", () => ({ beganAt, endedAt: Date.now() }));
});

/** Sleeps, and tells by how much it overslept. */
export const nap = defineWorkflow({ name: "nap" }, async ({ payload }, step) => {
  const { napMs } = payload as { readonly napMs: number };
  const wakeAt = await step.do("plan", () => Date.now() + napMs);
  await step.sleepUntil("nap", new Date(wakeAt));
  return step.do("wake", () => ({ lateMs: Date.now() - wakeAt }));
});
