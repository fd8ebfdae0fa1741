/** Ten steps in a row, each of which writes down that it started. */
import { defineWorkflow, type WorkflowDefinition } from "@escapement/engine";
import { appendEffect } from "./effect-log.ts";

export const TEN = 10;

export interface TenStepsOptions {
  /** Workers claim only the workflows that they know: one name a proof keeps proofs on one database apart. */
  readonly name: string;
  readonly logPath: string;
  /** Retries of each step. */
  readonly retriesLimit: number;
  /** Called in each body, after its start is written down. @param count bodies that this process has started */
  readonly inBody?: (count: number) => Promise<void>;
}

export function createTenSteps(options: TenStepsOptions): WorkflowDefinition {
  const { name, logPath, retriesLimit, inBody } = options;
  let count = 0;
  const retries = { limit: retriesLimit, delay: "1 second" } as const;
  return defineWorkflow({ name, retries }, async (event, step) => {
    let sum = 0;
    for (let index = 1; index <= TEN; index += 1) {
      sum += await step.do(`step-${index}`, async ({ stepKey, attempt }) => {
        const { instanceId } = event;
        appendEffect(logPath, { kind: "start", instanceId, stepKey, attempt, pid: process.pid });
        count += 1;
        await inBody?.(count);
        return index;
      });
    }
    return sum;
  });
}
