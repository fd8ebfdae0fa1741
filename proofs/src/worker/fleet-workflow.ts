/** What the fleet runs: three steps, parked once, so that most instances change their process on the way. */
import { defineWorkflow, type WorkflowDefinition } from "@escapement/engine";
import type { Store } from "../../../packages/engine/src/ports/store.ts";
import { appendEffect } from "./effect-log.ts";

export const FLEET_WORKFLOW = "fleet";
export const FLEET_STEPS = ["reserve", "charge", "ship"] as const;

export interface FleetWorkflowOptions {
  readonly logPath: string;
  readonly bodyMs: number;
  /** How long an instance is parked. @default 20 */
  readonly napMs?: number;
}

export function createFleetWorkflow(options: FleetWorkflowOptions): WorkflowDefinition {
  const { logPath, bodyMs, napMs = 20 } = options;
  const retries = { limit: 9, delay: 10 };
  return defineWorkflow({ name: FLEET_WORKFLOW, retries }, async (event, step) => {
    const { instanceId } = event;
    const run = (name: string): Promise<string> =>
      step.do(name, async ({ stepKey, attempt }) => {
        const effect = { instanceId, stepKey, attempt, pid: process.pid };
        appendEffect(logPath, { kind: "start", ...effect });
        if (bodyMs > 0) await new Promise((resolve) => setTimeout(resolve, bodyMs));
        appendEffect(logPath, { kind: "end", ...effect });
        return `${name} of ${instanceId}`;
      });
    const reserved = await run("reserve");
    await step.sleep("nap", napMs);
    const charged = await run("charge");
    return [reserved, charged, await run("ship")];
  });
}

/** Writes down which results the store has kept, and which commits it has refused. */
export function logCommits(store: Store, logPath: string): Store {
  return {
    ...store,
    async commit(commits) {
      const results = await store.commit(commits);
      for (const [index, { run, changes }] of commits.entries()) {
        const fields = { instanceId: run.instanceId, attempt: 0, pid: process.pid };
        if (results[index]?.kind === "conflict")
          appendEffect(logPath, { kind: "conflict", stepKey: null, ...fields });
        if (results[index]?.kind !== "committed") continue;
        for (const change of changes) {
          if (change.kind === "step" && change.step.status === "completed")
            appendEffect(logPath, { kind: "committed", stepKey: change.step.stepKey, ...fields });
        }
      }
      return results;
    },
  };
}
