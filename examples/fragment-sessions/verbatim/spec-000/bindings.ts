/** §6.5 of the founding spec 000, word for word but for the runtime, inside a function that gives it what it takes for granted. */
import {
  createWorkflowsFragment,
  defaultFragnoRuntime,
  type FragnoAdapter,
  WorkflowEntrypoint,
  type WorkflowEvent,
  type WorkflowStep,
} from "@escapement/fragno";
import { migrate } from "@fragno-dev/db";

class BillingWorkflow extends WorkflowEntrypoint<unknown, { orderId: string }> {
  async run(event: WorkflowEvent<{ orderId: string }>, step: WorkflowStep) {
    return step.do("bill", async () => event.payload.orderId);
  }
}

export class ChildWorkflow extends WorkflowEntrypoint<unknown, { parentInstanceId: string }> {
  async run(event: WorkflowEvent<{ parentInstanceId: string }>) {
    return event.payload.parentInstanceId;
  }
}

export async function start(databaseAdapter: FragnoAdapter) {
  // The guide 001, which came later, asks for it; and tables have to be there.
  const runtime = defaultFragnoRuntime;
  const workflows = {
    BILLING: { name: "billing-workflow", workflow: BillingWorkflow },
    CHILD: { name: "child-workflow", workflow: ChildWorkflow },
  } as const;

  const fragment = createWorkflowsFragment({ workflows, runtime }, { databaseAdapter });
  await migrate(fragment);

  // Programmatic start (equivalent to env.BILLING.create)
  const billing = fragment.workflows.BILLING;
  const instance = await billing.create({ id: "order-123", params: { orderId: "order-123" } });

  return { fragment, instance };
}
