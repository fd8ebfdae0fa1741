// The compiler says: Property 'SHIPP' does not exist
import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "@escapement/engine";
import type { Ship } from "./shop.ts";

export class Mistake extends WorkflowEntrypoint<unknown, unknown, { SHIP: Ship }> {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep): Promise<void> {
    // @ts-expect-error
    await step.do("ship", () => this.workflows.SHIPP.create({ params: { to: "Ada" } }));
  }
}
