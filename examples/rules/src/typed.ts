import { defineWorkflow, type WorkflowContext } from "@escapement/engine";
import { z } from "zod";

export const ship = defineWorkflow(
  {
    name: "ship",
    schema: z.object({ to: z.string() }), // what `create` takes: it asks for params
    output: z.object({ parcel: z.string() }), // what `status` and `result` give
    events: { collected: z.object({ by: z.string() }) }, // what `sendEvent` and `waitForEvent` take, and nothing else
  },
  async (_event, step) => {
    const { payload } = await step.waitForEvent("collection", { type: "collected" });
    return { parcel: `collected by ${payload.by}` };
  },
);

export const order = defineWorkflow(
  { name: "order" },
  async (event, step, { workflows }: WorkflowContext<{ SHIP: typeof ship }>) => {
    const id = `${event.instanceId}-ship`;
    await step.do("ship", async () => {
      await workflows.SHIP.create({ id, params: { to: "Ada" }, onExisting: "return" });
    });
  },
);
