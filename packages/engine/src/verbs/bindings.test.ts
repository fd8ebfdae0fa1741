import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createEngine,
  defineTopic,
  defineWorkflow,
  WorkflowEntrypoint,
  WorkflowError,
  type WorkflowEvent,
  type WorkflowStep,
} from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createHarness } from "../testing/harness.ts";

class Child extends WorkflowEntrypoint<{ suffix: string }, { parent: string }> {
  async run(event: WorkflowEvent<{ parent: string }>, step: WorkflowStep): Promise<string> {
    await step.sleep("nap", "1 day");
    return step.do("name", () => `${event.payload.parent}${this.env.suffix}`);
  }
}

class Parent extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep): Promise<unknown> {
    const childId = await step.do("start child", async () => {
      const child = await this.workflows["CHILD"]?.create({
        id: `child-${event.instanceId}`,
        params: { parent: event.instanceId },
      });
      return child?.id;
    });
    return { childId, at: event.timestamp.getTime() };
  }
}

const workflows = {
  PARENT: { name: "parent-workflow", workflow: Parent },
  CHILD: { name: "child-workflow", workflow: Child },
} as const;

describe("class workflows and bindings", () => {
  it("S0-005 S0-023 S0-057 S0-059 S0-060 a parent starts a child from a step by this.workflows and goes on without it", async () => {
    const harness = createHarness({ workflows, env: { suffix: "!" } });
    const startedAt = harness.clock.now();
    const parent = await harness.workflows.PARENT.create({ id: "p" });
    await harness.runUntilIdle();
    expect(await parent.status()).toEqual({
      status: "complete",
      runNumber: 1,
      output: { childId: "child-p", at: startedAt },
    });
    const child = await harness.workflows.CHILD.get("child-p");
    expect(await child.status()).toMatchObject({ status: "waiting" });
    await harness.runThroughTime();
    expect(await child.status()).toMatchObject({ status: "complete", output: "p!" });
  });

  it("S0-055 S0-058 S0-064 names, never binding keys, are what the HTTP API knows", async () => {
    const store = createMemoryStore();
    const engine = createEngine({ workflows, store, http: { open: true } });
    const list = await engine.fetch(new Request("http://x/api/workflows/workflows"));
    expect(await list.json()).toEqual({
      workflows: [{ name: "parent-workflow" }, { name: "child-workflow" }],
    });
    const byKey = await engine.fetch(
      new Request("http://x/api/workflows/workflows/PARENT/instances"),
    );
    expect(byKey.status).toBe(404);
  });

  it("S0-046 S0-047 S4-002 create makes an id, createBatch leaves existing ids alone, get refuses an unknown one", async () => {
    const { workflows: bound } = createHarness({ workflows });
    const made = await bound.PARENT.create();
    expect(made.id).toMatch(/^[0-9a-v]{21}$/u);
    const batch = await bound.CHILD.createBatch([
      { id: "a", params: { parent: "x" } },
      { id: "b", params: { parent: "x" } },
      { id: "a", params: { parent: "y" } },
    ]);
    expect(batch.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(await bound.CHILD.createBatch([{ id: "a" }, { id: "c" }])).toMatchObject([{ id: "c" }]);
    await expect(bound.CHILD.get("nobody")).rejects.toMatchObject({ code: "INSTANCE_NOT_FOUND" });
  });

  it("S0-141 S0-142 an id is taken once; onExisting: return answers with who has it", async () => {
    const { workflows: bound } = createHarness({ workflows });
    await bound.PARENT.create({ id: "x" });
    await expect(bound.PARENT.create({ id: "x" })).rejects.toMatchObject({
      code: "INSTANCE_ID_ALREADY_EXISTS",
    });
    expect(await bound.PARENT.create({ id: "x", onExisting: "return" })).toMatchObject({ id: "x" });
    await expect(bound.PARENT.create({ id: "../x" })).rejects.toMatchObject({
      code: "INVALID_INSTANCE_ID",
    });
  });

  it("a name registered twice is refused at the start", () => {
    const twice = { A: { name: "same", workflow: Parent }, B: { name: "same", workflow: Child } };
    expect(() => createEngine({ workflows: twice, store: createMemoryStore() })).toThrow(
      expect.objectContaining({
        code: "WORKFLOW_INVALID",
        details: { name: "same", keys: ["A", "B"] },
      }),
    );
  });

  it.each([
    ["a plain function", () => null],
    ["nothing", undefined],
    ["a definition without a function", defineWorkflow({ name: "a" }, undefined as never)],
    ["a registration without a class", { name: "a", workflow: undefined }],
  ])("%s in place of a workflow is refused at the start, with what to give", (_, entry) => {
    const workflows = { A: entry } as never;
    expect(() => createEngine({ workflows, store: createMemoryStore() })).toThrow(
      expect.objectContaining({
        code: "WORKFLOW_INVALID",
        message: expect.stringContaining(
          "workflows.A has no function to run: pass defineWorkflow(",
        ),
      }),
    );
  });

  it.each([undefined, null, [defineWorkflow({ name: "a" }, async () => 1)]])(
    "%s in place of a record of workflows is refused at the start",
    (workflows) => {
      const options = { workflows: workflows as never, store: createMemoryStore() };
      expect(() => createEngine(options)).toThrow(
        expect.objectContaining({
          code: "WORKFLOW_INVALID",
          message: expect.stringContaining("{ SIGNUP: signup }"),
        }),
      );
    },
  );

  it.each([
    ['schema of workflow "a"', { schema: { type: "object" } }],
    ['output of workflow "a"', { output: { email: "string" } }],
    ['event "paid" of workflow "a"', { events: { paid: { receipt: "string" } } }],
    ['event "0" of workflow "a"', { events: ["paid"] }],
  ])("what is not a Standard Schema is refused at the start: %s", (what, options) => {
    const A = defineWorkflow({ name: "a", ...options } as never, async () => 1);
    expect(() => createEngine({ workflows: { A }, store: createMemoryStore() })).toThrow(
      expect.objectContaining({
        code: "WORKFLOW_INVALID",
        message: expect.stringMatching(`^${what} is not a Standard Schema; expected .*zod 3.24`),
      }),
    );
  });

  it("so is that of a topic", () => {
    const topics = [defineTopic({ name: "placed", schema: { type: "object" } as never })];
    expect(() => createEngine({ workflows: {}, topics, store: createMemoryStore() })).toThrow(
      'schema of topic "placed" is not a Standard Schema',
    );
  });

  it.each([undefined, null, "postgres://localhost/orders", { query: () => [] }])(
    "an engine with %s in place of a store does not start",
    (store) => {
      expect(() => createEngine({ workflows: {}, store: store as never })).toThrow(
        expect.objectContaining({
          code: "STORE_OPTIONS_INVALID",
          message: expect.stringContaining("createEngine needs a store"),
        }),
      );
    },
  );
});

describe("S0-163 validation by Standard Schema", () => {
  const order = defineWorkflow(
    {
      name: "order",
      schema: z.object({ sku: z.string(), count: z.number().default(1) }),
      output: z.object({ total: z.number() }),
      events: { approval: z.object({ by: z.string() }) },
    },
    async (event, step) => {
      const approval = await step.waitForEvent("approve", { type: "approval" });
      return { total: event.payload.count * (approval.payload.by === "cheat" ? Number.NaN : 2) };
    },
  );
  const broken = defineWorkflow(
    { name: "broken", output: z.object({ ok: z.boolean() }) },
    () => "no" as never,
  );

  it("params that do not fit are refused before anything is written", async () => {
    const harness = createHarness({ workflows: { ORDER: order } });
    const bad = harness.workflows.ORDER.create({ id: "x", params: { sku: 7 } as never });
    await expect(bad).rejects.toMatchObject({
      code: "INVALID_PARAMS",
      message: expect.stringMatching(
        /^the params of workflow "order" do not match their schema: sku: /,
      ),
      details: { issues: [{ path: "sku" }] },
    });
    await expect(harness.status("order", "x")).rejects.toMatchObject({
      code: "INSTANCE_NOT_FOUND",
    });
  });

  it("defaults of the schema reach the workflow; events are validated when they are sent", async () => {
    const harness = createHarness({ workflows: { ORDER: order } });
    await harness.workflows.ORDER.create({ id: "x", params: { sku: "a" } });
    const bad = harness.sendEvent("order", "x", { type: "approval", payload: {} });
    await expect(bad).rejects.toMatchObject({ code: "INVALID_EVENT_PAYLOAD" });
    await harness.sendEvent("order", "x", { type: "approval", payload: { by: "me" } });
    await harness.runUntilIdle();
    expect(await harness.status("order", "x")).toMatchObject({
      status: "complete",
      output: { total: 2 },
    });
  });

  it("S5-045 an event of a type that is not among the declared ones is refused, when it is sent and when it is waited for", async () => {
    const typo = defineWorkflow(
      { name: "typo", events: { approval: z.object({ by: z.string() }) } },
      async (_event, step) => {
        const refused = await step
          .tryWaitForEvent("wait", { type: "aproval" as "approval" })
          .catch((error: unknown) => error);
        await step.sleep("and once more on replay", "1 second");
        return refused instanceof WorkflowError ? refused.code : refused;
      },
    );
    const harness = createHarness({ workflows: { ORDER: order, TYPO: typo } });
    await harness.workflows.ORDER.create({ id: "x", params: { sku: "a" } });
    await expect(harness.sendEvent("order", "x", { type: "aproval" })).rejects.toMatchObject({
      code: "EVENT_UNDECLARED",
      details: { name: "aproval", nearest: "approval" },
    });
    const instance = await harness.workflows.TYPO.create();
    await harness.runThroughTime(60_000);
    await expect(instance.result()).resolves.toBe("EVENT_UNDECLARED");
  });

  it("S5-045 a wait that history has open goes on when its type is declared no more", async () => {
    const store = createMemoryStore();
    const wait = async (_event: unknown, step: WorkflowStep): Promise<unknown> =>
      (await step.waitForEvent("wait", { type: "old" })).type;
    const before = createEngine({ workflows: { W: defineWorkflow({ name: "w" }, wait) }, store });
    const { id } = await before.workflows.W.create();
    await before.tick();
    await before.sendEvent("w", id, { type: "old" });
    const events = { new: z.string() };
    const renamed = defineWorkflow({ name: "w", events }, wait);
    const after = createEngine({ workflows: { W: renamed }, store });
    await after.tick();
    const instance = await after.workflows.W.get(id);
    await expect(instance.result()).resolves.toBe("old");
  });

  it("an output that does not fit fails the instance", async () => {
    const harness = createHarness({ workflows: { BROKEN: broken } });
    await harness.workflows.BROKEN.create({ id: "x" });
    await harness.runUntilIdle();
    expect(await harness.status("broken", "x")).toMatchObject({
      status: "errored",
      error: { message: expect.stringContaining("output") },
    });
  });
});
