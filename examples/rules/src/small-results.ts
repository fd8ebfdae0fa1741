import { defineWorkflow } from "@escapement/engine";
import { files, renderReport } from "./outside.ts";

export const wrong = defineWorkflow({ name: "report" }, async (_event, step) => {
  return step.do("render", () => renderReport()); // 2 MiB: PAYLOAD_TOO_LARGE
});

export const right = defineWorkflow({ name: "report" }, async (_event, step) => {
  return step.do("render", ({ idempotencyKey }) => {
    files.set(idempotencyKey, renderReport());
    return { file: idempotencyKey };
  });
});
