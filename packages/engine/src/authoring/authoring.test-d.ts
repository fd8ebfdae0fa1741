import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  createEngine,
  defineWorkflow,
  type InstanceStatus,
  NonRetryableError,
  type ReceivedEvent,
  type Workflow,
  type WorkflowDuration,
  WorkflowEntrypoint,
  type WorkflowEvent,
  type WorkflowInstance,
  type WorkflowInstanceCreateOptions,
  type WorkflowInstanceCreateOptionsWithId,
  type WorkflowStep,
  type WorkflowStepConfig,
} from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

declare const step: WorkflowStep;

describe("authoring types", () => {
  it("S0-005 S0-011 S0-012 the names of Cloudflare's API are exported", () => {
    expectTypeOf<WorkflowDuration>().toEqualTypeOf<string | number>();
    expectTypeOf(NonRetryableError).toBeConstructibleWith("message", "Name");
    expectTypeOf<WorkflowInstanceCreateOptions<number>>().toHaveProperty("params");
    expectTypeOf<WorkflowInstanceCreateOptionsWithId>()
      .toHaveProperty("id")
      .toEqualTypeOf<string>();
  });

  it("S0-022 a workflow event has payload, timestamp and instanceId", () => {
    expectTypeOf<WorkflowEvent<{ a: number }>>().toEqualTypeOf<{
      readonly payload: Readonly<{ a: number }>;
      readonly timestamp: Date;
      readonly instanceId: string;
    }>();
  });

  it("S0-004 S0-024 S0-025 a step's configuration has Cloudflare's shape", () => {
    const config = {
      retries: { limit: Infinity, delay: "10 seconds", backoff: "linear" },
      timeout: 1000,
    } as const;
    expectTypeOf(config).toExtend<WorkflowStepConfig>();
    // @ts-expect-error backoff is one of three words
    const wrong: WorkflowStepConfig = { retries: { limit: 1, delay: 1, backoff: "random" } };
    void wrong;
  });

  it("S0-027 step.do takes a sync or async body, with or without configuration", () => {
    expectTypeOf(step.do("a", () => 1)).resolves.toEqualTypeOf<number>();
    expectTypeOf(step.do("a", async () => "x")).resolves.toEqualTypeOf<string>();
    expectTypeOf(
      step.do("a", { timeout: 1 }, async ({ attempt }) => attempt),
    ).resolves.toEqualTypeOf<number>();
    // @ts-expect-error a body is needed
    void step.do("a", { timeout: 1 });
  });

  it("S0-028 S0-029 sleeps take a duration, or a Date or number", () => {
    expectTypeOf(step.sleep("a", "1 hour")).resolves.toBeVoid();
    expectTypeOf(step.sleepUntil("a", new Date())).resolves.toBeVoid();
    expectTypeOf(step.sleepUntil("a", 5)).resolves.toBeVoid();
  });

  it("S0-030 waitForEvent resolves to type, payload and timestamp", () => {
    expectTypeOf(
      step.waitForEvent<{ ok: boolean }>("a", { type: "t", timeout: 5000 }),
    ).resolves.toEqualTypeOf<ReceivedEvent<{ ok: boolean }>>();
    expectTypeOf(
      step.tryWaitForEvent("a", { type: "t" }),
    ).resolves.toEqualTypeOf<ReceivedEvent<unknown> | null>();
  });
});

describe("S2-013 the function form", () => {
  it("infers params, declared events and output from Standard Schemas", () => {
    defineWorkflow(
      {
        name: "order",
        schema: z.object({ id: z.string(), count: z.number().default(1) }),
        output: z.object({ ok: z.boolean() }),
        events: { approval: z.object({ by: z.string() }) },
      },
      async (event, typedStep) => {
        expectTypeOf(event.payload).toEqualTypeOf<Readonly<{ id: string; count: number }>>();
        const approval = await typedStep.waitForEvent("approve", { type: "approval" });
        expectTypeOf(approval.payload.by).toEqualTypeOf<string>();
        return { ok: true };
      },
    );
    // @ts-expect-error the output must fit its schema
    defineWorkflow({ name: "x", output: z.object({ ok: z.boolean() }) }, async () => ({
      ok: "yes",
    }));
  });
});

describe("bindings", () => {
  class Billing extends WorkflowEntrypoint<{ key: string }, { orderId: string }> {
    async run(event: WorkflowEvent<{ orderId: string }>, classStep: WorkflowStep): Promise<string> {
      expectTypeOf(this.env.key).toEqualTypeOf<string>();
      return classStep.do("charge", () => event.payload.orderId);
    }
  }
  const order = defineWorkflow({ name: "order", schema: z.object({ id: z.string() }) }, () => 1);
  const engine = createEngine({
    store: createMemoryStore(),
    workflows: {
      ORDER: order,
      BILLING: { name: "billing", workflow: Billing },
      ANY: defineWorkflow({ name: "any" }, () => 1),
    },
  });

  it("S0-023 S0-055 S0-056 S0-047 create takes the params of the workflow under each key", () => {
    expectTypeOf(engine.workflows.ORDER).toEqualTypeOf<Workflow<{ id: string }>>();
    expectTypeOf(engine.workflows.BILLING).toEqualTypeOf<Workflow<{ orderId: string }>>();
    expectTypeOf(engine.workflows.ANY).toEqualTypeOf<Workflow>();
    // @ts-expect-error params are typed
    void engine.workflows.ORDER.create({ params: { id: 1 } });
    // @ts-expect-error only registered keys exist
    void engine.workflows.MISSING;
  });

  it("S0-045 S0-046 S0-043 S0-044 handles and status have Cloudflare's members", () => {
    expectTypeOf<Workflow["create"]>().returns.resolves.toEqualTypeOf<WorkflowInstance>();
    expectTypeOf<Workflow["createBatch"]>().returns.resolves.toEqualTypeOf<WorkflowInstance[]>();
    expectTypeOf<Workflow["get"]>().parameters.toEqualTypeOf<[id: string]>();
    expectTypeOf<keyof WorkflowInstance>().toEqualTypeOf<
      "id" | "status" | "pause" | "resume" | "terminate" | "restart" | "sendEvent"
    >();
    expectTypeOf<InstanceStatus["status"]>().toEqualTypeOf<
      | "queued"
      | "running"
      | "paused"
      | "errored"
      | "terminated"
      | "complete"
      | "waiting"
      | "waitingForPause"
      | "unknown"
    >();
    expectTypeOf<InstanceStatus["error"]>().toExtend<
      { readonly name: string; readonly message: string } | undefined
    >();
    expectTypeOf<InstanceStatus["output"]>().toBeUnknown();
  });
});
