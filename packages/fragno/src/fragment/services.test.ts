/** The fragment's services, composed in other fragments' transactions, on real databases. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { WorkflowError, type WorkflowEvent } from "@escapement/engine";
import { defineWorkflow, WorkflowEntrypoint } from "./authoring.ts";
import type { TxWorkflowStep } from "./step-tx.ts";
import { callService, createShop, openScene, type Scene, shopSchema } from "./testing-scene.ts";
import { runUntilIdle, SERVERS } from "./testing-step-tx.ts";

const workflows = {
  ORDER: defineWorkflow(
    { name: "order", schema: z.object({ id: z.string() }), events: { paid: z.number() } },
    async (_event, step) => {
      const paid = await step.waitForEvent("payment", { type: "paid", timeout: "1 hour" });
      return paid.payload;
    },
  ),
  PARSED: defineWorkflow(
    {
      name: "parsed",
      schema: z.object({ copies: z.coerce.number().default(1) }),
      events: { at: z.string().transform((text) => ({ parsed: text })) },
    },
    async (event, step) => {
      const { payload } = await step.waitForEvent("wait", { type: "at" });
      return { params: event.payload, payload };
    },
  ),
  WAIT: defineWorkflow({ name: "wait" }, async (_event, step) => {
    const seen: unknown[] = [];
    for (let index = 0; index < 10; index += 1)
      seen.push((await step.waitForEvent(`event ${index}`, { type: "tell" })).payload);
    return seen;
  }),
  PARENT: {
    name: "parent",
    workflow: class extends WorkflowEntrypoint {
      override async run(event: WorkflowEvent<unknown>, step: TxWorkflowStep): Promise<unknown> {
        return step.do("start child", async () => {
          const child = await this.workflows["WAIT"]?.create({
            id: `child-of-${event.instanceId}`,
          });
          return child?.id;
        });
      }
    },
  },
} as const;

for (const server of SERVERS) {
  describe(`services on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    beforeAll(async () => {
      scene = await openScene(server, { workflows });
    });
    afterAll(() => scene.close());

    /** One service call in its own transaction. */
    const call = (make: () => unknown): Promise<unknown> => callService(scene.fragment, make);
    const count = async (table: string, where: string): Promise<number> =>
      (await scene.query(`select 1 from "${table}" where ${where}`)).length;
    const order = (id: string, workflow = "order"): Promise<Response> =>
      scene.shop.handler(
        new Request(`http://app/api/shop/orders/${workflow}/${id}`, { method: "POST" }),
      );

    test("S0-006 S1-013 S1-014 an instance and a domain row are one transaction and one trip", async () => {
      const [trips, response] = await scene.countTrips(() => order("o-1"));
      expect(await response.json()).toEqual({ id: "o-1", status: "queued" });
      expect(trips).toBe(1);
      expect(await count("order_shop", `"number" = 'o-1'`)).toBe(1);
      expect(await count("workflow_instance_workflows", `"instanceId" = 'o-1'`)).toBe(1);
      expect(await count("workflow_task_workflows", `"instanceId" = 'o-1'`)).toBe(1);
    });

    test("a create alone is one trip, a status read is one", async () => {
      const [created] = await scene.countTrips(() =>
        call(() => scene.fragment.services.createInstance("wait", { id: "alone" })),
      );
      const [read, status] = await scene.countTrips(() =>
        call(() => scene.fragment.services.getInstanceStatus("wait", "alone")),
      );
      expect({ created, read }).toEqual({ created: 1, read: 1 });
      expect(status).toEqual({ status: "queued", runNumber: 1 });
    });

    test("a taken id refuses the whole foreign transaction as INSTANCE_ID_ALREADY_EXISTS", async () => {
      await call(() =>
        scene.fragment.services.createInstance("order", { id: "dup", params: { id: "x" } }),
      );
      const response = await order("dup");
      expect(response.status).toBe(409);
      expect(await response.json()).toMatchObject({
        code: "INSTANCE_ID_ALREADY_EXISTS",
        error: { details: { workflowName: "order", instanceId: "dup" } },
      });
      expect(await count("order_shop", `"number" = 'dup'`)).toBe(0);
    });

    test("a domain row that is refused takes the instance with it", async () => {
      await scene.shop.inContext(async function () {
        await this.handlerTx()
          .mutate(({ forSchema }) => forSchema(shopSchema).create("order", { number: "o-2" }))
          .execute();
      });
      const response = await order("o-2");
      expect(response.status).toBe(409);
      expect(await response.json()).toMatchObject({ code: "UNIQUE_VIOLATION" });
      expect(await count("workflow_instance_workflows", `"instanceId" = 'o-2'`)).toBe(0);
    });

    test("S5-026 params and payloads are stored as their schemas parsed them", async () => {
      const { services } = scene.fragment;
      await call(() => services.createInstance("parsed", { id: "p", params: {} }));
      await runUntilIdle(scene.fragment.engine);
      await call(() => services.sendEvent("parsed", "p", { type: "at", payload: "now" }));
      await runUntilIdle(scene.fragment.engine);
      const output = { params: { copies: 1 }, payload: { parsed: "now" } };
      expect(await call(() => services.getInstanceStatus("parsed", "p"))).toMatchObject({ output });
    });

    test("input is validated before anything is written, with the engine's codes", async () => {
      const { services } = scene.fragment;
      const codes = await Promise.all(
        [
          () => services.createInstance("nobody"),
          () => services.createInstance("order", { id: "-no", params: { id: "a" } }),
          () => services.createInstance("order", { id: "bad", params: { id: 1 } }),
          () => services.createInstance("wait", { id: "bad", params: () => 1 }),
          () => services.createInstance("wait", { id: "bad", params: "x".repeat(1_100_000) }),
          () =>
            services.createBatch(
              "wait",
              Array.from({ length: 101 }, (_, n) => ({ id: `b${n}` })),
            ),
          () => services.getInstanceStatus("wait", "unknown"),
          () => services.sendEvent("wait", "unknown", { type: "tell" }),
          () => services.sendEvent("wait", "alone", { type: "not ok" }),
          () => services.sendEvent("order", "dup", { type: "paid", payload: "much" }),
          () => services.pause("wait", "unknown"),
          () => services.listHistory("wait", "alone", { pageSize: 0 }),
          () => services.listHistory("wait", "alone", { cursor: "nonsense" }),
        ].map((make) =>
          call(make).then(
            () => null,
            (error: unknown) => (WorkflowError.is(error) ? error.code : error),
          ),
        ),
      );
      expect(codes).toEqual([
        "WORKFLOW_NOT_FOUND",
        "INVALID_INSTANCE_ID",
        "INVALID_PARAMS",
        "NOT_SERIALIZABLE",
        "PAYLOAD_TOO_LARGE",
        "BATCH_TOO_LARGE",
        "INSTANCE_NOT_FOUND",
        "INSTANCE_NOT_FOUND",
        "INVALID_EVENT_TYPE",
        "INVALID_EVENT_PAYLOAD",
        "INSTANCE_NOT_FOUND",
        "INVALID_REQUEST",
        "INVALID_CURSOR",
      ]);
      expect(await count("workflow_instance_workflows", `"instanceId" = 'bad'`)).toBe(0);
    });

    test("onExisting return answers with the instance that has the id, also when both come at once", async () => {
      const make = (): unknown =>
        call(() =>
          scene.fragment.services.createInstance("wait", { id: "same", onExisting: "return" }),
        );
      const results = await Promise.all([make(), make(), make(), make()]);
      expect(results).toEqual(
        Array.from({ length: 4 }, () => ({
          id: "same",
          details: { status: "queued", runNumber: 1 },
        })),
      );
      expect(await count("workflow_instance_workflows", `"instanceId" = 'same'`)).toBe(1);
    });

    test("a batch skips ids that exist, and batches at once create each instance once", async () => {
      const batch = Array.from({ length: 20 }, (_, n) => ({ id: `batch-${n}` }));
      const results = (await Promise.all(
        Array.from({ length: 6 }, () =>
          call(() => scene.fragment.services.createBatch("wait", [...batch, { id: "batch-0" }])),
        ),
      )) as { instances: { id: string }[]; skipped: string[] }[];
      const created = results.flatMap(({ instances }) => instances.map(({ id }) => id));
      expect(created.toSorted()).toEqual(batch.map(({ id }) => id).toSorted());
      for (const { instances, skipped } of results)
        expect(instances.length + skipped.length).toBe(21);
    });

    test("a loop here hears of a composed create at once", async () => {
      const loop = scene.fragment.engine.startLoop({ pollMs: 600_000 });
      await order("heard");
      await expect
        .poll(() => scene.fragment.engine.getInstance("order", "heard"), { timeout: 60_000 })
        .toMatchObject({ details: { status: "waiting" } });
      await loop.stop();
    });

    test("S1-012 without the service the application's route says so", async () => {
      const alone = createShop({ databaseAdapter: scene.adapter }, {});
      const response = await alone.handler(
        new Request("http://app/api/shop/orders/order/none", { method: "POST" }),
      );
      expect(await response.json()).toMatchObject({ code: "WORKFLOWS_REQUIRED" });
    });

    test("S0-057 S0-059 S0-060 a workflow starts children by the same bindings, and does not wait for them", async () => {
      const { workflows: bindings, engine } = scene.fragment;
      await bindings.PARENT.create({ id: "parent" });
      await runUntilIdle(engine);
      expect(await (await bindings.PARENT.get("parent")).status()).toMatchObject({
        status: "complete",
        output: "child-of-parent",
      });
      expect(await (await bindings.WAIT.get("child-of-parent")).status()).toMatchObject({
        status: "waiting",
      });
    });

    test("S0-056 S0-059 bindings start and find instances by key, without a transaction around them", async () => {
      const instance = await scene.fragment.workflows.ORDER.create({
        id: "bound",
        params: { id: "b" },
      });
      expect(await instance.status()).toEqual({ status: "queued", runNumber: 1 });
      expect((await scene.fragment.workflows.ORDER.get("bound")).id).toBe("bound");
    });
  });
}
