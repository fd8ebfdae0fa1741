import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineWorkflow } from "./define-workflow.ts";

const output = z.object({
  state: z.enum(["shipped", "refused"]),
  parcels: z.array(z.object({ kind: z.literal("box") })).optional(),
});

test("a workflow returns objects with literals of its output schema without `as const`", () => {
  const order = defineWorkflow({ name: "order", output }, async (event, step) => {
    if (event.instanceId === "") return { state: "refused" };
    await step.sleep("a while", "1 second");
    return { state: "shipped", parcels: [{ kind: "box" }] };
  });
  expectTypeOf(order).toExtend<{ readonly name: string }>();
  defineWorkflow({ name: "order", output }, () => ({ state: "shipped" }));
  defineWorkflow({ name: "order", output: z.array(z.string()) }, async () => ["a"]);
  defineWorkflow({ name: "order" }, async () => ({ state: "anything" }));
});

test("a workflow that returns what its output schema has not does not compile", () => {
  // @ts-expect-error a state that the schema does not have
  defineWorkflow({ name: "order", output }, async () => ({ state: "shippd" }));
  // @ts-expect-error no state
  defineWorkflow({ name: "order", output }, async () => ({}));
  // @ts-expect-error a text that could be any
  defineWorkflow({ name: "order", output }, async (event) => ({ state: event.instanceId }));
});
