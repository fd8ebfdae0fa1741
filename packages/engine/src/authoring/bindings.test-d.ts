/** Types of bindings: callers know what a workflow declares. */
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  createEngine,
  defineWorkflow,
  type InstanceStatus,
  type Workflow,
  type WorkflowDuration,
  type WorkflowContext,
  WorkflowEntrypoint,
  type WorkflowEvent,
  type WorkflowInstance,
  type WorkflowStep,
  type WorkflowStepConfig,
} from "../index.ts";
import type { SentEvent } from "./bindings.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

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

  it("S6-021 `from` is an option of retry alone; every command has the same preconditions", () => {
    type OptionsOf<TVerb extends keyof WorkflowInstance> = WorkflowInstance[TVerb] extends (
      options?: infer TOptions,
    ) => unknown
      ? keyof NonNullable<TOptions>
      : never;
    expectTypeOf<OptionsOf<"retry">>().toEqualTypeOf<
      "ifRunNumber" | "ifStatus" | "idempotencyKey" | "from"
    >();
    expectTypeOf<OptionsOf<"pause">>().toEqualTypeOf<
      "ifRunNumber" | "ifStatus" | "idempotencyKey"
    >();
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
      // A helper without event types accepts the step of any workflow.
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

  it("a helper that names no events takes workflows and instances that declare some", async () => {
    const start = async (workflow: Workflow<{ id: string }>): Promise<unknown> =>
      (await workflow.create({ params: { id: "a" } })).result();
    const pause = async (instance: WorkflowInstance): Promise<void> => instance.pause();
    void start(engine.workflows.ORDER);
    void pause(await engine.workflows.ORDER.get("a"));
    const refuse = async (instance: WorkflowInstance<unknown, typeof events>): Promise<void> =>
      instance.sendEvent({ type: "refusal" });
    void refuse(await engine.workflows.ORDER.get("a"));
    const other = {} as WorkflowInstance<unknown, { paid: typeof events.refusal }>;
    // @ts-expect-error its workflow declares another event
    void refuse(other);
    // @ts-expect-error other params
    void start(engine.workflows.OPTIONAL);
  });

  it("a workflow names those that it starts, and takes any where it names none", () => {
    defineWorkflow(
      { name: "parent" },
      async (_event, parent, { workflows }: WorkflowContext<{ ORDER: typeof order }>) => {
        expectTypeOf(workflows.ORDER).toEqualTypeOf<Bound["ORDER"]>();
        // @ts-expect-error there is no such workflow
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
      // @ts-expect-error not a duration
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
