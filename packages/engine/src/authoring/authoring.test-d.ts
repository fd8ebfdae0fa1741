import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  createEngine,
  defineWorkflow,
  type InstanceStatus,
  NonRetryableError,
  type ReceivedEvent,
  RetryableError,
  type Workflow,
  type WorkflowDuration,
  type WorkflowContext,
  WorkflowEntrypoint,
  type WorkflowEvent,
  type WorkflowInstance,
  type WorkflowInstanceCreateOptions,
  type WorkflowInstanceCreateOptionsWithId,
  type WorkflowStep,
  type WorkflowStepConfig,
} from "../index.ts";
import type { SentEvent } from "./bindings.ts";
import type { StepRetries } from "./step-options.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

declare const step: WorkflowStep;

describe("authoring types", () => {
  it("S0-005 S0-011 S0-012 the names of Cloudflare's API are exported", () => {
    expectTypeOf<WorkflowDuration>().toExtend<string | number>();
    // Cloudflare's own type, as its runtime declares it: what compiles there compiles here.
    type CloudflareUnit = "second" | "minute" | "hour" | "day" | "week" | "month" | "year";
    type CloudflareDuration = `${number} ${CloudflareUnit}${"s" | ""}` | number;
    expectTypeOf<CloudflareDuration>().toExtend<WorkflowDuration>();
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

  it("S6-024 a policy's functions answer at once: true or false, and a duration", () => {
    expectTypeOf<Parameters<NonNullable<StepRetries["shouldRetry"]>>>().toEqualTypeOf<
      [error: unknown, attempt: number]
    >();
    const retries: StepRetries = {
      limit: 5,
      delay: (attempt, error) => (error instanceof RangeError ? "1 hour" : `${attempt} seconds`),
      shouldRetry: (error) => !(error instanceof TypeError),
    };
    defineWorkflow({ name: "defaults", retries }, () => 1);
    // @ts-expect-error a promise is no answer
    const promised: StepRetries = { limit: 1, shouldRetry: async () => true };
    // @ts-expect-error nor is what is merely true in a condition
    const truthy: StepRetries = { limit: 1, shouldRetry: () => "yes" };
    // @ts-expect-error a delay that is not there yet
    const later: StepRetries = { limit: 1, delay: async () => 5 };
    // @ts-expect-error nor text that is no duration
    const text: StepRetries = { limit: 1, delay: () => "soon" };
    void [promised, truthy, later, text];
  });

  it("S6-024 RetryableError takes a duration, an instant, or an HTTP header", () => {
    expectTypeOf(RetryableError).toBeConstructibleWith("message");
    expectTypeOf(RetryableError).toBeConstructibleWith("message", { retryAfter: "5 minutes" });
    expectTypeOf(RetryableError).toBeConstructibleWith("message", { retryAfter: new Date(0) });
    const retryAfterHeader = new Headers().get("retry-after");
    expectTypeOf(RetryableError).toBeConstructibleWith("message", { retryAfterHeader });
    // @ts-expect-error the header's text is no duration: it counts seconds
    void new RetryableError("message", { retryAfter: "120" });
    // @ts-expect-error misspelt
    void new RetryableError("message", { retryAftr: 5 });
  });

  it("S0-027 S3-047 S4-012 step.do takes a sync or async body, with or without configuration", () => {
    expectTypeOf(step.do("a", () => 1)).resolves.toEqualTypeOf<number>();
    expectTypeOf(step.do("a", async () => "x")).resolves.toEqualTypeOf<string>();
    expectTypeOf(
      step.do("a", { timeout: 1 }, async ({ attempt }) => attempt),
    ).resolves.toEqualTypeOf<number>();
    // @ts-expect-error a body is needed
    void step.do("a", { timeout: 1 });
  });

  it("S0-028 S0-029 S3-047 S3-050 S4-012 sleeps take a duration, or a Date or number", () => {
    expectTypeOf(step.sleep("a", "1 hour")).resolves.toBeVoid();
    expectTypeOf(step.sleepUntil("a", new Date())).resolves.toBeVoid();
    expectTypeOf(step.sleepUntil("a", 5)).resolves.toBeVoid();
  });

  it("S0-030 S3-047 S4-012 waitForEvent resolves to type, payload and timestamp", () => {
    expectTypeOf(
      step.waitForEvent<{ ok: boolean }>("a", { type: "t", timeout: 5000 }),
    ).resolves.toEqualTypeOf<ReceivedEvent<{ ok: boolean }>>();
    expectTypeOf(
      step.tryWaitForEvent("a", { type: "t" }),
    ).resolves.toEqualTypeOf<ReceivedEvent<unknown> | null>();
  });
});

describe("S6-014 receive, reply and ask", () => {
  const events = { order: z.object({ sku: z.string() }), cancel: z.string(), other: z.number() };

  it("S6-014 a batch is a union of the declared types asked for, told apart by type", async () => {
    defineWorkflow({ name: "w", events }, async (_event, typedStep) => {
      const batch = await typedStep.receive("in", { types: ["order", "cancel"], count: 10 });
      for (const event of batch) {
        expectTypeOf(event.type).toEqualTypeOf<"order" | "cancel">();
        if (event.type === "order") expectTypeOf(event.payload.sku).toEqualTypeOf<string>();
        else expectTypeOf(event.payload).toEqualTypeOf<Readonly<string>>();
        expectTypeOf(event.eventId).toEqualTypeOf<string | undefined>();
        expectTypeOf(event.reply).toBeCallableWith({ any: "thing" });
      }
      // @ts-expect-error misspelt
      await typedStep.receive("in", { types: ["ordre"] });
      // @ts-expect-error types are needed
      await typedStep.receive("in", { count: 1 });
      // @ts-expect-error it has no such option
      await typedStep.receive("in", { types: ["order"], since: "wait" });
      await typedStep.join("j", {
        // @ts-expect-error misspelt in a scope
        a: (own) => own.receive("in", { types: ["ordre"] }),
      });
    });
  });

  it("S6-014 where nothing is declared, the payload is as the author says", () => {
    expectTypeOf(step.receive("in", { types: ["a"] })).resolves.toEqualTypeOf<
      ReceivedEvent<unknown>[]
    >();
    expectTypeOf(step.receive<number>("in", { types: ["a"] })).resolves.toEqualTypeOf<
      ReceivedEvent<number>[]
    >();
  });

  it("S6-014 an instance is asked by declared events, for what the caller expects", () => {
    const instance = {} as WorkflowInstance<unknown, typeof events>;
    expectTypeOf(
      instance.ask<{ ok: boolean }>({ type: "order", payload: { sku: "a" } }, { timeout: "5 s" }),
    ).resolves.toEqualTypeOf<{ ok: boolean }>();
    expectTypeOf(instance.ask({ type: "cancel", payload: "x" })).resolves.toBeUnknown();
    // @ts-expect-error the payload of another type
    void instance.ask({ type: "order", payload: "x" });
    // @ts-expect-error misspelt
    void instance.ask({ type: "cancel", payload: "x" }, { timeut: 5 });
  });
});

describe("S2-013 S3-010 the function form", () => {
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
    expectTypeOf(engine.workflows.BILLING).toEqualTypeOf<
      Workflow<{ orderId: string } | undefined>
    >();
    expectTypeOf(engine.workflows.ANY).toEqualTypeOf<Workflow>();
    // @ts-expect-error params are typed
    void engine.workflows.ORDER.create({ params: { id: 1 } });
    // @ts-expect-error only registered keys exist
    void engine.workflows.MISSING;
  });

  it("S0-045 S0-046 S0-043 S0-044 S3-049 handles and status have Cloudflare's members", () => {
    expectTypeOf<Workflow["create"]>().returns.resolves.toEqualTypeOf<WorkflowInstance>();
    expectTypeOf<Workflow["createBatch"]>().returns.resolves.toEqualTypeOf<WorkflowInstance[]>();
    expectTypeOf<Workflow["get"]>().parameters.toEqualTypeOf<[id: string]>();
    expectTypeOf<keyof WorkflowInstance>().toEqualTypeOf<
      | "id"
      | "status"
      | "describe"
      | "explain"
      | "result"
      | "pause"
      | "resume"
      | "cancel"
      | "terminate"
      | "restart"
      | "retry"
      | "rewind"
      | "update"
      | "fork"
      | "delete"
      | "sendEvent"
      | "ask"
      | "stream"
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

describe("S5-045 what a workflow declares is known to its callers", () => {
  const events = { approval: z.object({ by: z.string() }), refusal: z.undefined() };
  const order = defineWorkflow(
    {
      name: "order",
      schema: z.object({ id: z.string(), count: z.coerce.number().default(1) }),
      output: z.object({ cents: z.number(), at: z.coerce.date() }),
      events,
    },
    async (_event, typedStep) => {
      // A helper that knows nothing of the events takes the step of any workflow.
      await helper(typedStep);
      return { cents: 1, at: "2026-01-01" };
    },
  );
  const helper = async (plain: WorkflowStep): Promise<number> => plain.do("a", () => 1);
  class Billing extends WorkflowEntrypoint<unknown, { orderId: string }, { ORDER: typeof order }> {
    async run(event: WorkflowEvent<{ orderId: string }>, classStep: WorkflowStep): Promise<number> {
      return classStep.do("ask", async () => {
        const child = await this.workflows.ORDER.create({ params: { id: event.payload.orderId } });
        return (await child.result()).cents;
      });
    }
  }
  const engine = createEngine({
    store: createMemoryStore(),
    workflows: {
      ORDER: order,
      OPTIONAL: defineWorkflow({ name: "optional", schema: z.string().optional() }, () => 1),
      BILLING: {
        name: "billing",
        workflow: Billing,
        schema: z.object({ orderId: z.string() }),
        output: z.number(),
        events,
      },
    },
  });
  type Bound = typeof engine.workflows;

  it("params are asked for where the schema's input cannot do without", () => {
    expectTypeOf<Bound["ORDER"]["create"]>()
      .parameter(0)
      .toHaveProperty("params")
      .toEqualTypeOf<{ id: string; count?: unknown }>();
    // @ts-expect-error params are needed
    void engine.workflows.ORDER.create({});
    void engine.workflows.OPTIONAL.create();
    // @ts-expect-error a class with a schema needs them too
    void engine.workflows.BILLING.create();
  });

  it("status and result give what the output's schema returns, values kept as they are", async () => {
    type Output = { cents: number; at: Date };
    expectTypeOf<Bound["ORDER"]["get"]>().returns.resolves.toEqualTypeOf<
      WorkflowInstance<Output, typeof events>
    >();
    expectTypeOf<InstanceStatus<Output>["output"]>().toEqualTypeOf<Output | undefined>();
    const instance = await engine.workflows.ORDER.get("a");
    expectTypeOf(await instance.result({ timeout: "10 seconds" })).toEqualTypeOf<Output>();
    expectTypeOf(await (await engine.workflows.BILLING.get("a")).result()).toEqualTypeOf<number>();
    const params = { id: "a" };
    expectTypeOf(
      await engine.workflows.ORDER.execute({ params, timeout: "10 seconds", delay: "1 hour" }),
    ).toEqualTypeOf<Output>();
    void engine.workflows.OPTIONAL.execute();
    // @ts-expect-error params are needed
    void engine.workflows.ORDER.execute({ timeout: 1 });
    // @ts-expect-error an instant is a Date or a number
    void engine.workflows.ORDER.create({ params, startAt: "2026-01-01" });
  });

  it("events are those declared, each with its payload; where none is, any", () => {
    expectTypeOf<{ type: "approval"; payload: { by: string } }>().toExtend<
      SentEvent<typeof events>
    >();
    expectTypeOf<{ type: "refusal" }>().toExtend<SentEvent<typeof events>>();
    expectTypeOf<{ type: "other" }>().not.toExtend<SentEvent<typeof events>>();
    expectTypeOf<{ type: string; payload: 1 }>().toExtend<SentEvent<{}>>();
  });

  it("a workflow names those that it starts, and takes any where it names none", () => {
    defineWorkflow(
      { name: "parent" },
      async (_event, parent, { workflows }: WorkflowContext<{ ORDER: typeof order }>) => {
        expectTypeOf(workflows.ORDER).toEqualTypeOf<Bound["ORDER"]>();
        // @ts-expect-error it names no such workflow
        void workflows.OTHER;
        await parent.do("start", () => workflows.ORDER.create({ params: { id: "a" } }));
      },
    );
    defineWorkflow({ name: "loose" }, async (_event, _step, { workflows }) => {
      expectTypeOf(workflows["ORDER"]).toEqualTypeOf<Workflow | undefined>();
    });
  });

  it("S6-016 a callback's payload is believed, and unknown where nothing is said", () => {
    defineWorkflow({ name: "called" }, async (_event, step) => {
      const said = await step.callback<{ by: string }>("a", { timeout: "7 days" });
      expectTypeOf(said.payload()).toEqualTypeOf<Promise<{ by: string }>>();
      expectTypeOf((await step.callback("b")).payload()).toEqualTypeOf<Promise<unknown>>();
      // @ts-expect-error no duration
      void step.callback("c", { timeout: "soon" });
      // @ts-expect-error its event has no type
      void step.callback("d", { type: "paid" });
    });
  });

  it("durations are text that is one", () => {
    for (const text of [
      "1 day",
      "90s",
      "1.5 hours",
      "250 ms",
      "1 hour, 30 minutes",
      "1h30m",
    ] as const)
      expectTypeOf(text).toExtend<WorkflowDuration>();
    for (const text of ["10", "10 minits", "soon", "1 hour and a half", "day"] as const)
      expectTypeOf(text).not.toExtend<WorkflowDuration>();
    expectTypeOf({ limit: 3 }).toExtend<NonNullable<WorkflowStepConfig["retries"]>>();
  });
});
