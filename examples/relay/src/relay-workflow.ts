/** The workflow: a baton that goes on by one name for each leg, on whatever platform runs that leg. */
import { defineWorkflow, type WorkflowDefinition } from "@escapement/engine";
import * as v from "valibot";
import type { RanBody, RunnerSettings } from "./runner-settings.ts";

export interface RelayParams {
  readonly legCount: number;
}

/** Declares it for one platform. The code is the same on all; only what it says of itself differs. */
export function defineRelay(
  { platform, ledgerUrl }: Pick<RunnerSettings, "platform" | "ledgerUrl">,
  runtime: string,
): WorkflowDefinition<RelayParams> {
  return defineWorkflow(
    { name: "relay", schema: v.object({ legCount: v.number() }), retries: { limit: 0, delay: 0 } },
    async ({ payload: { legCount } }, step) => {
      let baton = "start";
      for (let number = 1; number <= legCount; number += 1) {
        const leg = `leg ${number}`;
        baton = await step.do(leg, async ({ attempt }) => {
          await tell(ledgerUrl, { leg, attempt, platform, runtime });
          return `${baton} → ${platform}`;
        });
      }
      return baton;
    },
  );
}

/** Whether a body ran once is not for its own history to say. */
async function tell(ledgerUrl: string, ran: RanBody): Promise<void> {
  const response = await fetch(ledgerUrl, { method: "POST", body: JSON.stringify(ran) });
  if (!response.ok) throw new Error(`the ledger answered ${response.status}`);
}
