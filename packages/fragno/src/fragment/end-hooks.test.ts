/** Callbacks of a fragment for runs that end or are restarted, on real databases. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Statement } from "@escapement/db/client";
import type { HookCall, WorkflowRestarted, WorkflowTerminal } from "./config.ts";
import { defineWorkflow } from "./authoring.ts";
import { createDurableHooksProcessor } from "./processor.ts";
import { callService, openScene, type Scene, shopSchema } from "./testing-scene.ts";
import { SERVERS, type ServerKind } from "./testing-step-tx.ts";

const broken = new Set<string>();
const workflows = {
  DONE: defineWorkflow({ name: "done" }, (event) => ({ got: event.payload })),
  FAILS: defineWorkflow({ name: "fails" }, async (event, step) => {
    await step.do("try", { retries: { limit: 0, delay: 0 } }, () => {
      if (broken.has(event.instanceId)) throw new RangeError("it is broken");
    });
  }),
  AGAIN: defineWorkflow(
    { name: "again", runRetries: { limit: 2, delay: 0 } },
    async (event, step) => {
      await step.do("try", { retries: { limit: 0, delay: 0 } }, () => {
        if (broken.has(event.instanceId)) throw new RangeError("it is broken");
      });
    },
  ),
  WAITS: defineWorkflow({ name: "waits" }, (_event, step) =>
    step.waitForEvent("go", { type: "go" }),
  ),
} as const;

/** Statements of a commit that ends a run; the insert of the hook is one of them. */
const ends = (statements: readonly Statement[]): boolean =>
  statements.some(({ text }) => text.includes("'onWorkflowTerminal'"));

/** A database on a bad network: it sends some batches twice, or does something before. */
const onBadNetwork = (
  kind: ServerKind,
  network: { before: () => Statement | null; twice: boolean },
): ServerKind => ({
  ...kind,
  async start() {
    const server = await kind.start();
    return {
      ...server,
      open() {
        const database = server.open();
        return {
          ...database,
          close: () => database.close(),
          async batch(statements) {
            if (!ends(statements)) return database.batch(statements);
            const first = network.before();
            if (first !== null) await database.batch([first]);
            if (network.twice) await database.batch(statements);
            return database.batch(statements);
          },
        };
      },
    };
  },
});

for (const server of SERVERS) {
  describe(`told ends on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    const ended: WorkflowTerminal[] = [];
    const restarted: WorkflowRestarted[] = [];
    const calls: HookCall[] = [];
    let failures = 0;
    const network: { before: () => Statement | null; twice: boolean } = {
      before: () => null,
      twice: false,
    };
    beforeAll(async () => {
      scene = await openScene(onBadNetwork(server, network), {
        workflows,
        onWorkflowTerminal: (told, call) => {
          ended.push(told);
          calls.push(call);
          failures -= 1;
          if (failures >= 0) throw new RangeError("not now");
        },
        onWorkflowRestarted: (told) => void restarted.push(told),
      });
    });
    afterAll(() => scene.close());
    beforeEach(() => {
      ended.length = 0;
      restarted.length = 0;
      calls.length = 0;
      network.twice = false;
      network.before = () => null;
    });

    const processHooks = (): Promise<unknown> =>
      createDurableHooksProcessor([scene.fragment]).process();
    const call = (make: () => unknown): Promise<unknown> => callService(scene.fragment, make);
    const rowIdOf = async (id: string): Promise<unknown> => {
      const [row] = await scene.query(
        `select "id" from "workflow_instance_workflows" where "instanceId" = '${id}'`,
      );
      return row?.["id"];
    };

    test("an end is told with its params, output or error, as values", async () => {
      const params = new Map([["at", new Date(5)]]);
      broken.add("f");
      await scene.fragment.workflows.DONE.create({ id: "d", params });
      await scene.fragment.workflows.FAILS.create({ id: "f", params: "p" });
      await processHooks();
      const sorted = ended.toSorted((a, b) => (a.instanceId < b.instanceId ? -1 : 1));
      const of = async (workflowName: string, instanceId: string): Promise<object> => ({
        terminalTransitionId: expect.any(String),
        workflowName,
        instanceId,
        instanceRef: await rowIdOf(instanceId),
        runNumber: 1,
      });
      expect(sorted).toEqual([
        { ...(await of("done", "d")), status: "complete", params, output: { got: params } },
        {
          ...(await of("fails", "f")),
          status: "errored",
          params: "p",
          error: expect.objectContaining({ name: "RangeError", message: "it is broken" }),
        },
      ]);
      await processHooks();
      expect(ended).toHaveLength(2);
    });

    test("what terminates a run there and then, by service, route or handle, tells of it; a cancelled one tells when it has ended", async () => {
      const { WAITS } = scene.fragment.workflows;
      for (const id of ["service", "route", "handle", "cancelled", "paused"])
        await WAITS.create({ id, params: id });
      await scene.fragment.engine.tick();
      await call(() => scene.fragment.services.pause("waits", "paused"));
      await call(() => scene.fragment.services.terminate("waits", "service"));
      await call(() => scene.fragment.services.terminateInstance("waits", "paused"));
      await scene.fragment.handler(
        new Request("http://app/api/workflows/workflows/waits/instances/route/terminate", {
          method: "POST",
        }),
      );
      const handle = await WAITS.get("handle");
      await handle.terminate();
      await (await WAITS.get("cancelled")).cancel();
      await processHooks();
      expect(ended.map(({ instanceId }) => instanceId).toSorted()).toEqual([
        "cancelled",
        "handle",
        "paused",
        "route",
        "service",
      ]);
      for (const told of ended)
        expect(told).toMatchObject({ status: "terminated", params: told.instanceId });
      expect(new Set(ended.map(({ terminalTransitionId }) => terminalTransitionId)).size).toBe(5);
    });

    test("what the fragment's engine is asked for itself tells as the services do", async () => {
      const { engine } = scene.fragment;
      await engine.createInstance("waits", { id: "control", params: "p" });
      await engine.createInstance("waits", { id: "begun" });
      await engine.tick();
      expect(await engine.control("waits", "control", "terminate")).toMatchObject({
        id: "control",
        details: { status: "terminated" },
      });
      await engine.control("waits", "begun", "restart");
      await engine.control("waits", "begun", "terminate");
      await processHooks();
      const sorted = ended.toSorted((a, b) => (a.instanceId < b.instanceId ? -1 : 1));
      expect(sorted).toMatchObject([
        { instanceId: "begun", runNumber: 2, status: "terminated" },
        { instanceId: "control", runNumber: 1, status: "terminated", params: "p" },
      ]);
      expect(restarted).toMatchObject([{ instanceId: "begun", runNumber: 2 }]);
    });

    test("a commit that arrives twice tells once", async () => {
      network.twice = true;
      await scene.fragment.workflows.DONE.create({ id: "twice" });
      await scene.fragment.workflows.DONE.create({ id: "twice-too" });
      await processHooks();
      expect(ended.map(({ instanceId }) => instanceId).toSorted()).toEqual(["twice", "twice-too"]);
      expect(
        await scene.query(`select 1 from "fragno_hooks" where "status" <> 'completed'`),
      ).toEqual([]);
    });

    test("a runner that has lost its lease tells nothing", async () => {
      await scene.fragment.workflows.DONE.create({ id: "lost" });
      let stolen = 0;
      network.before = () => {
        stolen += 1;
        const text = `update "workflow_task_workflows" set "lockOwner" = 'another' where "instanceId" = 'lost' and "status" = 'processing'`;
        return stolen === 1 ? { text, values: [] } : null;
      };
      await processHooks();
      expect([stolen, ended]).toEqual([1, []]);
      await scene.clock.advance(60_000);
      await processHooks();
      expect(ended).toMatchObject([{ instanceId: "lost", status: "complete" }]);
    });

    test("S6-024 a run that begins again tells nothing, of no restart either: the last one tells of its end", async () => {
      broken.add("again");
      await scene.fragment.workflows.AGAIN.create({ id: "again", params: "p" });
      await processHooks();
      expect(restarted).toEqual([]);
      expect(ended).toMatchObject([
        { instanceId: "again", runNumber: 3, status: "errored", params: "p" },
      ]);
      const { instances } = await scene.fragment.engine.listInstances("again", {});
      expect(instances).toMatchObject([{ id: "again", details: { retryCount: 2 } }]);
    });

    test("a transaction that is refused tells nothing, and one that stands tells of all that it ended", async () => {
      const { WAITS } = scene.fragment.workflows;
      await WAITS.createBatch([{ id: "tx-1" }, { id: "tx-2" }]);
      await scene.fragment.engine.tick();
      const { services } = scene.fragment;
      const endBoth = (number: string): Promise<unknown> =>
        scene.shop.inContext(async function () {
          await this.handlerTx()
            .withServiceCalls(
              () =>
                [services.terminate("waits", "tx-1"), services.terminate("waits", "tx-2")] as const,
            )
            .mutate(({ forSchema }) => forSchema(shopSchema).create("order", { number }))
            .execute();
        });
      await scene.shop.inContext(async function () {
        await this.handlerTx()
          .mutate(({ forSchema }) => forSchema(shopSchema).create("order", { number: "taken" }))
          .execute();
      });
      await expect(endBoth("taken")).rejects.toMatchObject({ code: "UNIQUE_VIOLATION" });
      await processHooks();
      expect(ended).toEqual([]);
      await endBoth("free");
      await processHooks();
      expect(new Set(ended.map(({ terminalTransitionId }) => terminalTransitionId)).size).toBe(2);
    });

    test("a callback that fails is called again, for the same end", async () => {
      failures = 1;
      await scene.fragment.workflows.DONE.create({ id: "again" });
      await processHooks();
      await scene.clock.advance(60_000);
      await processHooks();
      expect(ended).toHaveLength(2);
      expect(ended[0]).toEqual(ended[1]);
      expect(calls[0]?.idempotencyKey).toBe(calls[1]?.idempotencyKey);
      expect(calls[0]?.signal.aborted).toBe(false);
    });

    test("a run that is retried ends again, and is told again; one that is begun anew by restart is told too", async () => {
      broken.add("more");
      const { FAILS } = scene.fragment.workflows;
      const made = await FAILS.create({ id: "more" });
      await processHooks();
      await made.retry();
      await processHooks();
      broken.delete("more");
      await made.restart();
      await FAILS.restartOrCreate({ id: "more" });
      await processHooks();
      expect(ended.map(({ status, runNumber }) => [status, runNumber])).toEqual([
        ["errored", 1],
        ["errored", 1],
        ["complete", 3],
      ]);
      expect(new Set(ended.map(({ terminalTransitionId }) => terminalTransitionId)).size).toBe(3);
      const of = { workflowName: "fails", instanceId: "more", instanceRef: await rowIdOf("more") };
      expect(restarted.toSorted((a, b) => a.runNumber - b.runNumber)).toEqual([
        { ...of, previousRunNumber: 1, runNumber: 2 },
        { ...of, previousRunNumber: 2, runNumber: 3 },
      ]);
    });

    test("an end costs no trip more, and a processor that polls seldom is told at once", async () => {
      const processor = createDurableHooksProcessor([scene.fragment], {
        pollIntervalMs: 3_600_000,
      });
      await scene.fragment.engine.createInstance("done", { id: "trips" });
      const [trips] = await scene.countTrips(() => scene.fragment.engine.tick());
      // The claim that finds it, its only commit, and the claim that finds nothing more.
      expect(trips).toBeLessThanOrEqual(3);
      processor.startPolling();
      await expect.poll(() => ended.length).toBe(1);
      await scene.fragment.workflows.DONE.create({ id: "polled" });
      await expect.poll(() => ended.length).toBe(2);
      await processor.stopPolling();
    });
  });
}
