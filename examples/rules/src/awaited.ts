import { defineWorkflow } from "@escapement/engine";
import { audit } from "./outside.ts";

export const wrong = defineWorkflow({ name: "close" }, async (_event, step) => {
  void step.do("write audit entry", () => audit.write("closed"));
  return "closed"; // the run ends, the step is aborted, and its entry may be missing
});

export const right = defineWorkflow({ name: "close" }, async (_event, step) => {
  await step.do("write audit entry", () => audit.write("closed"));
  return "closed";
});
