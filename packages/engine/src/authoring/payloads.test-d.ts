/** Payloads as workflow code gets them. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { defineTopic, defineWorkflow, type WorkflowEvent } from "../index.ts";

const orderId = z.string().brand<"OrderId">();
type OrderId = z.infer<typeof orderId>;

describe("payloads", () => {
  it("a branded string stays one, in params, events and topics", () => {
    const topic = defineTopic({ name: "placed", schema: orderId });
    defineWorkflow(
      { name: "w", schema: orderId, events: { id: orderId, count: z.number().brand<"Count">() } },
      async (event, step) => {
        expectTypeOf(event.payload).toEqualTypeOf<OrderId>();
        const sent = await step.waitForEvent("sent", { type: "id" });
        expectTypeOf(sent.payload).toExtend<string>();
        const count = await step.waitForEvent("count", { type: "count" });
        expectTypeOf(count.payload).toExtend<number>();
        expectTypeOf((await step.waitForTopic("placed", topic)).payload).toEqualTypeOf<OrderId>();
      },
    );
  });

  it("one that nobody described is unknown, and so may be undefined", () => {
    defineWorkflow({ name: "w" }, async (event, step) => {
      expectTypeOf(event.payload).toBeUnknown();
      // @ts-expect-error `create()` gives none
      event.payload.toString();
      expectTypeOf((await step.waitForEvent("a", { type: "t" })).payload).toBeUnknown();
      expectTypeOf((await step.waitForTopic("b", "t")).payload).toBeUnknown();
    });
  });

  it("one that may be anything is used like anything", () => {
    const schema = {} as StandardSchemaV1<ReturnType<typeof JSON.parse>>;
    defineWorkflow({ name: "w", schema }, (event) => expectTypeOf(event.payload).toBeAny());
  });

  it("others must not be changed, and are told apart as they were", () => {
    type Shape = { kind: "a"; x: number } | { kind: "b"; y: string };
    const event = {} as WorkflowEvent<Shape | undefined>;
    if (event.payload?.kind === "a") expectTypeOf(event.payload.x).toEqualTypeOf<number>();
    // @ts-expect-error replays would not know of the change
    if (event.payload?.kind === "b") event.payload.y = "changed";
    expectTypeOf<WorkflowEvent<Date>["payload"]>().toExtend<Date>();
    expectTypeOf<WorkflowEvent<string[]>["payload"]>().toEqualTypeOf<readonly string[]>();
  });
});
