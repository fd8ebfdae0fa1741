/** Workflows that one process runs in a small heap. */
import { defineWorkflow } from "@escapement/engine";

/** Waits for an event that comes behind all that the instance may hold of others. */
const holder = defineWorkflow({ name: "holder" }, async (_event, step) => {
  const wanted = await step.waitForEvent("wait", { type: "wanted" });
  return wanted.payload;
});

const bystander = defineWorkflow({ name: "bystander" }, async (_event, step) =>
  step.do("work", () => "done"),
);

export const smallHeapWorkflows = { HOLDER: holder, BYSTANDER: bystander } as const;
