import type { Workflow, WorkflowInstance } from "@escapement/engine";

interface Order {
  readonly id: string;
  readonly userId: string;
}

export function wrong(orders: Workflow, order: Order): Promise<WorkflowInstance> {
  // The user's second order: INSTANCE_ID_ALREADY_EXISTS.
  return orders.create({ id: order.userId });
}

export function right(orders: Workflow, order: Order): Promise<WorkflowInstance> {
  // Creating the same order twice still makes one instance.
  return orders.create({ id: `${order.userId}-${order.id}` });
}
