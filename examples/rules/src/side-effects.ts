import { defineWorkflow } from "@escapement/engine";

/** Stands for a mail server. */
export const outbox: string[] = [];

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
