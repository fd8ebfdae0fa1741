/** The code of the founding spec 000 §6, word for word but for the package's name. */
import {
  createWorkflowsFragment,
  defaultFragnoRuntime,
  WorkflowEntrypoint,
  type WorkflowEvent,
  type WorkflowStep,
} from "@escapement/engine/fragment";

type Env = unknown;
type Params = { user: string };

// §6.1
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

class BillingWorkflow extends WorkflowEntrypoint<Env, { orderId: string }> {
  async run(event: WorkflowEvent<{ orderId: string }>, step: WorkflowStep) {
    return step.do("bill", async () => event.payload.orderId);
  }
}

class ChildWorkflow extends WorkflowEntrypoint<Env, { parentInstanceId: string }> {
  async run(event: WorkflowEvent<{ parentInstanceId: string }>) {
    return event.payload.parentInstanceId;
  }
}

// §6.6
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

// §6.5, with the workflows above beside the two of the spec
const workflows = {
  BILLING: { name: "billing-workflow", workflow: BillingWorkflow },
  CHILD: { name: "child-workflow", workflow: ChildWorkflow },
  PARENT: { name: "parent-workflow", workflow: ParentWorkflow },
  MY: { name: "my-workflow", workflow: MyWorkflow },
} as const;

export async function start(databaseAdapter, migrate) {
  // The runtime is the first founding document's: see step 7 of the guide.
  const runtime = defaultFragnoRuntime;
  const fragment = createWorkflowsFragment({ workflows, runtime }, { databaseAdapter });
  await migrate(fragment);

  // Programmatic start (equivalent to env.BILLING.create)
  const billing = fragment.workflows.BILLING;
  const instance = await billing.create({ id: "order-123", params: { orderId: "order-123" } });
  return { fragment, instance };
}
