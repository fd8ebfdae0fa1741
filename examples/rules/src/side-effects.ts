import { defineWorkflow } from "@escapement/engine";

/** Stands for a mail server. */
export const outbox: string[] = [];

const DAY_MS = 86_400_000;

export const wrong = defineWorkflow({ name: "receipt" }, async (event, step) => {
  outbox.push(`received ${event.instanceId}`); // sent again at every replay
  await step.sleep("let it settle", "1 day");
});

export const right = defineWorkflow({ name: "receipt" }, async (event, step) => {
  await step.do("send receipt", () => {
    outbox.push(`received ${event.instanceId}`);
  });
  await step.sleep("let it settle", "1 day");
});

export const wrongClock = defineWorkflow({ name: "deadline" }, async (_event, step) => {
  const deadline = Date.now() + 3 * DAY_MS; // a day later after a day's sleep
  await step.sleep("let it settle", "1 day");
  await step.sleepUntil("deadline", deadline);
});

export const rightClock = defineWorkflow({ name: "deadline" }, async (_event, step) => {
  const deadline = step.now().getTime() + 3 * DAY_MS;
  await step.sleep("let it settle", "1 day");
  await step.sleepUntil("deadline", deadline);
});
