import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { InstanceView } from "@escapement/engine";
import { defineWorkflow } from "../fragment/authoring.ts";
import { createScenarioSteps, defineScenario, type ScenarioStep } from "./index.ts";

const registry = {
  order: defineWorkflow(
    {
      name: "order-workflow",
      schema: z.object({ sku: z.string() }),
      events: { paid: z.object({ cents: z.number() }) },
    },
    () => 1,
  ),
  plain: defineWorkflow({ name: "plain-workflow" }, () => 1),
} as const;

interface Vars {
  order: InstanceView;
  count: number;
}

const steps = createScenarioSteps<typeof registry, Vars>();

describe("S1-020 scenarios address workflows by registry key, checked by type", () => {
  it("S1-020 a key that is not registered does not compile", () => {
    steps.initialize({ workflow: "order", params: { sku: "a" } });
    // @ts-expect-error the key, not the name
    steps.initialize({ workflow: "order-workflow", params: { sku: "a" } });
    // @ts-expect-error no such workflow
    steps.pause({ workflow: "missing", instanceId: "x" });
  });

  it("S1-020 params are those of the workflow's schema", () => {
    steps.initializeAndRunUntilIdle({ workflow: "plain", params: 5 });
    steps.initializeAndRunUntilIdle({
      workflow: "order",
      params: ({ vars }) => ({ sku: vars.order.id }),
    });
    // @ts-expect-error sku is a string
    steps.initializeAndRunUntilIdle({ workflow: "order", params: { sku: 1 } });
  });

  it("S1-020 events are those that the workflow declares, or any", () => {
    const instanceId = "x";
    const paid = { type: "paid", payload: { cents: 5 } } as const;
    steps.event({ workflow: "order", instanceId, event: paid });
    steps.eventAndRunUntilIdle({ workflow: "plain", instanceId, event: { type: "anything" } });
    // @ts-expect-error the payload has cents
    steps.event({ workflow: "order", instanceId, event: { type: "paid", payload: {} } });
    // @ts-expect-error not declared
    steps.event({ workflow: "order", instanceId, event: { type: "refunded" } });
  });

  it("S1-016 variables hold what a step gives", () => {
    steps.initialize({ workflow: "order", params: { sku: "a" }, storeAs: "order" });
    steps.read({ read: () => 5, storeAs: "count" });
    // @ts-expect-error a count is no instance
    steps.initialize({ workflow: "order", params: { sku: "a" }, storeAs: "count" });
    // @ts-expect-error a text is no count
    steps.read({ read: () => "five", storeAs: "count" });
  });

  it("S1-016 a scenario takes steps of its own registry only", () => {
    const step = steps.runUntilIdle();
    expectTypeOf(step).toEqualTypeOf<ScenarioStep<typeof registry, Vars>>();
    defineScenario({ name: "fits", workflows: registry, steps: [step] });
    // @ts-expect-error the registry has no plain workflow
    defineScenario({ name: "other", workflows: { order: registry.order }, steps: [step] });
  });
});
