import { defineWorkflow } from "@escapement/engine";

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

export const wrong = defineWorkflow({ name: "remind" }, async (_event, step) => {
  await pause(3_600_000); // holds the process, and starts again when it dies
  await step.do("remind", () => "reminded");
});

export const right = defineWorkflow({ name: "remind" }, async (_event, step) => {
  await step.sleep("an hour", "1 hour");
  await step.do("remind", () => "reminded");
});
