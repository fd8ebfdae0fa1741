/** §6.1 of the founding spec 000, word for word; the type of its event is in types.ts. */
import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "@escapement/fragno";

type Env = unknown;
type Params = { user: string };

export class MyWorkflow extends WorkflowEntrypoint<Env, Params> {
  async run(event: WorkflowEvent<Params>, step: WorkflowStep) {
    const state = await step.do("fetch config", async () => {
      return { enabled: true };
    });

    await step.sleep("wait a bit", "1 hour");

    const approval = await step.waitForEvent<{ approved: boolean }>("await approval", {
      type: "approval",
      timeout: "24 hours",
    });

    return await step.do("finish", async () => ({ state, approval }));
  }
}
