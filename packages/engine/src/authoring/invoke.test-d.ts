/** Types of children, and the compiler's errors for mistakes. */
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { defineWorkflow, type WorkflowStep } from "../index.ts";

declare const step: WorkflowStep;

const ship = defineWorkflow(
  {
    name: "ship",
    schema: z.object({ orderId: z.string() }),
    output: z.object({ label: z.string() }),
  },
  async (event) => ({ label: event.payload.orderId }),
);
const tidy = defineWorkflow({ name: "tidy" }, async () => null);

describe("step.invoke", () => {
  it("S6-012 gives the output that the child's definition declares", async () => {
    const { label } = await step.invoke(ship, { params: { orderId: "A-1" } });
    expectTypeOf(label).toEqualTypeOf<string>();
    expectTypeOf(step.invoke(tidy)).resolves.toBeUnknown();
    expectTypeOf(step.invoke<unknown, { n: number }>("count")).resolves.toEqualTypeOf<{
      n: number;
    }>();
  });

  it("S6-012 takes the params that it declares, and its options, and no others", () => {
    // @ts-expect-error the workflow takes params
    void step.invoke(ship);
    // @ts-expect-error of another type
    void step.invoke(ship, { params: { orderId: 1 } });
    const schema = z.object({ note: z.string() }).optional();
    const noted = defineWorkflow({ name: "noted", schema }, async () => null);
    void step.invoke(noted);
    void step.invoke(noted, { params: { note: "a" } });
    // @ts-expect-error of another type, where params may be left out
    void step.invoke(noted, { params: { note: 1 } });
    const counted = defineWorkflow({ name: "counted", schema: z.string().optional() }, () => 1);
    // @ts-expect-error and where they are primitives
    void step.invoke(counted, { params: 1 });
    // @ts-expect-error there is no such option
    void step.invoke(tidy, { timeout: 5 });
    // @ts-expect-error there is no such end
    void step.invoke(tidy, { onParentEnd: "cancel" });
  });
});
