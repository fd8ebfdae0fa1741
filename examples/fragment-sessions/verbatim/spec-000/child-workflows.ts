/** §6.6 of the founding spec 000, word for word. */
import { WorkflowEntrypoint } from "@escapement/fragno";

export class ParentWorkflow extends WorkflowEntrypoint {
  async run(event, step) {
    await step.do("trigger child workflow", async () => {
      const child = await this.workflows.CHILD.create({
        id: `child-${event.instanceId}`,
        params: { parentInstanceId: event.instanceId },
      });

      return { childInstanceId: child.id };
    });

    // Parent continues; does not wait for child completion.
    await step.do("continue", async () => ({ ok: true }));
  }
}
