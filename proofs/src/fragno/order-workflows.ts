/** What an order's workflow does. Its steps write the shop's rows in their own commits. */
import { defineWorkflow, type WorkflowDefinition } from "@escapement/fragno";
import { ordersSchema } from "./orders-fragment.ts";
import type { OrderEffect } from "./orders-job.ts";

export interface OrderWorkflowOptions {
  readonly record: (effect: Pick<OrderEffect, "kind" | "orderId" | "key">) => Promise<void>;
  /** How long the body of a step takes. */
  readonly bodyMs: number;
}

export const FULFIL_ORDER = "fulfil-order";
export const FULFIL_STEPS = ["reserve", "charge"] as const;
export const PATIENT_ORDER = "patient-order";

/** Naps and waits of `patient-order`, and the delay of its retry. */
export const PATIENCE_MS = 1500;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Two steps, each of which pays, with a nap between them in which most change their process. */
export const createFulfilOrder = ({ record, bodyMs }: OrderWorkflowOptions): WorkflowDefinition =>
  defineWorkflow({ name: FULFIL_ORDER, retries: { limit: 9, delay: 10 } }, async (event, step) => {
    const orderId = event.instanceId;
    const pay = (stepName: string): Promise<string> =>
      step.do(stepName, async (tx) => {
        await record({ kind: "step.start", orderId, key: stepName });
        await wait(bodyMs);
        tx.mutate(
          (ctx) => void ctx.forSchema(ordersSchema).create("payment", { orderId, stepName }),
        );
        return `${stepName} of ${orderId}`;
      });
    const reserved = await pay(FULFIL_STEPS[0]);
    await step.sleep("nap", 20);
    return [reserved, await pay(FULFIL_STEPS[1])];
  });

/** Sleeps, waits in vain, fails once, and then works for longer than a lease lasts. */
export const createPatientOrder = ({ record, bodyMs }: OrderWorkflowOptions): WorkflowDefinition =>
  defineWorkflow({ name: PATIENT_ORDER }, async (event, step) => {
    const orderId = event.instanceId;
    const retries = { limit: 1, delay: PATIENCE_MS };
    const note = (key: string): Promise<void> => record({ kind: "step.start", orderId, key });
    await step.sleep("nap", PATIENCE_MS);
    await step.do("rise", () => note("rise"));
    const wish = await step
      .waitForEvent("wish", { type: "wish", timeout: PATIENCE_MS })
      .catch(() => "none");
    await step.do("second-time", { retries }, async ({ attempt }) => {
      await note("second-time");
      if (attempt === 1) throw new TypeError("the first time fails");
    });
    await step.do("long", async () => {
      await note("long");
      await wait(bodyMs);
    });
    return wish;
  });
