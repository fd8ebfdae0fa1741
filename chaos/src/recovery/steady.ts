/** A workflow that never stands still by itself: one short step after another, until told to end. */
import { existsSync } from "node:fs";
import { defineWorkflow, type WorkflowDefinition } from "@escapement/engine";
import type { AppendToLedger } from "../ledger.ts";

/** How long each body takes. */
const BEAT_MS = 400;

/** Where the file is that ends the instances of a ledger. */
export const stopPathOf = (ledgerPath: string): string => `${ledgerPath}.stop`;

/** @param stopPath a file whose existence tells all instances to end */
export function createSteadyWorkflow(append: AppendToLedger, stopPath: string): WorkflowDefinition {
  return defineWorkflow(
    { name: "steady", retries: { limit: 20, delay: 50, backoff: "constant" } },
    async ({ instanceId: id }, step) => {
      for (let beat = 0; ; beat += 1) {
        const isOver = await step.do(`beat ${beat}`, async () => {
          await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
          append({ kind: "beat", id });
          return existsSync(stopPath);
        });
        if (isOver) return beat;
      }
    },
  );
}
