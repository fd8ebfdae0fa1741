/** The durable hook of the fragment: which changes file it, in whose transaction, and due when. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Row } from "@escapement/db";
import { createDurableHooksProcessor } from "./processor.ts";
import { callService, shopSchema } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";
import { HOOK_PAYLOAD, type HookScene, IS_TIMED_HOOK, openHookScene } from "./testing-hooks.ts";

for (const server of SERVERS) {
  describe(`hooks on ${server.name}`, () => {
    let hooks: HookScene;
    beforeAll(async () => {
      hooks = await openHookScene(server);
    });
    beforeEach(() => hooks.forget());
    afterAll(() => hooks.scene.close());

    test("S6-019 execute files the hook of its instance, and gives what that returns", async () => {
      hooks.told.length = 0;
      hooks.dispatch = (_enqueued, { engine }) => engine.tick();
      const executed = hooks.scene.fragment.workflows.HELLO.execute({ id: "executed" });
      const processor = createDurableHooksProcessor([hooks.scene.fragment]);
      await expect.poll(async () => (await processor.process()).processedCount).toBe(1);
      expect(hooks.told).toEqual([
        { workflowName: "hello", instanceId: "executed", reason: "create" },
      ]);
      await expect(executed).resolves.toBe("hello");
    });

    test("S0-132 creates, events that wake, resumes and restarts file hooks with their reason", async () => {
      await hooks.post("wait/instances", { id: "a" });
      await hooks.processHooks();
      await hooks.scene.fragment.engine.tick();
      await hooks.post("wait/instances/a/events", { type: "other" });
      await hooks.post("wait/instances/a/pause");
      await hooks.post("wait/instances/a/resume");
      await hooks.scene.fragment.engine.tick();
      await hooks.post("wait/instances/a/events", { type: "go", payload: 1 });
      await hooks.post("wait/instances/a/restart");
      await hooks.post("wait/instances/batch", { instances: [{ id: "b" }, { id: "a" }] });
      await hooks.processHooks();
      expect(
        hooks.told.map(({ instanceId, reason }) => `${instanceId} ${reason}`).toSorted(),
      ).toEqual(["a create", "a create", "a event", "a resume", "b create"].toSorted());
      expect(hooks.told[0]).toEqual({ workflowName: "wait", instanceId: "a", reason: "create" });
    });

    test("S0-132 an event of a service files the hook of a run that has come to wait since it was read", async () => {
      const { engine, services } = hooks.scene.fragment;
      await hooks.post("wait/instances", { id: "parks" });
      await hooks.forget();
      hooks.scene.beforeNext(/insert into "workflow_event/i, () => engine.tick());
      await callService(hooks.scene.fragment, () =>
        services.sendEvent("wait", "parks", { type: "go", payload: 1 }),
      );
      await hooks.processHooks();
      expect(hooks.told).toEqual([{ workflowName: "wait", instanceId: "parks", reason: "event" }]);
    });

    test("S0-132 retries, sleeps and deadlines of waits file hooks in the commit that parks the run, due when it comes due", async () => {
      await hooks.post("late/instances", { id: "l-1" });
      await hooks.processHooks();
      hooks.told.length = 0;
      const filed = async (): Promise<readonly Row[]> =>
        hooks.scene.query(
          `select 1 from "fragno_hooks" where "status" = 'pending' and ${IS_TIMED_HOOK} and ${HOOK_PAYLOAD} like '%l-1%'`,
        );
      const before = (await filed()).length;
      const reasons: string[] = [];
      for (const [park, reason] of [
        ["the retry", "retry"],
        ["the sleep", "wake"],
        ["the deadline", "wake"],
      ] as const) {
        await hooks.scene.fragment.engine.tick();
        expect((await filed()).length, park).toBe(before + 1);
        await hooks.processHooks();
        expect(hooks.told, `${park} is not due yet`).toEqual([]);
        await hooks.scene.clock.advance(3_600_001);
        await hooks.processHooks();
        expect(hooks.told, park).toEqual([{ workflowName: "late", instanceId: "l-1", reason }]);
        reasons.push(...hooks.told.splice(0).map((enqueued) => enqueued.reason));
      }
      expect(reasons).toEqual(["retry", "wake", "wake"]);
      await hooks.scene.fragment.engine.tick();
      const { details } = await hooks.scene.fragment.engine.getInstance("late", "l-1");
      expect(details.status).toBe("complete");
    });

    test("S0-132 S6-012 a run that waits for a child alone files no hook: it comes due at no time", async () => {
      await hooks.post("order/instances", { id: "o-1" });
      await hooks.processHooks();
      await hooks.scene.fragment.engine.tick();
      const { details } = await hooks.scene.fragment.engine.getInstance("order", "o-1");
      expect(details.status).toBe("waiting");
      const ofOrder = `select 1 from "fragno_hooks" where "status" = 'pending' and ${HOOK_PAYLOAD} like '%o-1%'`;
      expect(await hooks.scene.query(ofOrder)).toEqual([]);
    });

    test("S0-059 S0-132 bindings file hooks as the routes do, in workflow code too", async () => {
      const { HELLO, PARENT, WAIT } = hooks.scene.fragment.workflows;
      await PARENT.create({ id: "parent" });
      await WAIT.createBatch([{ id: "bound" }]);
      await hooks.scene.fragment.engine.tick();
      const bound = await WAIT.get("bound");
      await bound.sendEvent({ type: "go", payload: 1 });
      await bound.restart();
      await hooks.processHooks();
      expect(
        hooks.told.map(({ instanceId, reason }) => `${instanceId} ${reason}`).toSorted(),
      ).toEqual(["bound create", "bound create", "bound event", "child create", "parent create"]);
      await expect(HELLO.create({ id: "child" })).rejects.toMatchObject({
        code: "INSTANCE_ID_ALREADY_EXISTS",
      });
    });

    test("S0-007 S0-062 S0-133 the hook's row is in the transaction of the state change: both or neither, in one trip", async () => {
      const compose = (number: string): Promise<unknown> =>
        hooks.scene.shop.inContext(async function () {
          await this.handlerTx()
            .withServiceCalls(() => [
              hooks.scene.fragment.services.createInstance("hello", { id: number }),
            ])
            .mutate(({ forSchema }) => forSchema(shopSchema).create("order", { number }))
            .execute();
        });
      const [trips] = await hooks.scene.countTrips(() => compose("h-1"));
      expect(trips).toBe(1);
      expect(await hooks.pendingHooks()).toBe(1);
      await expect(
        hooks.scene.shop.inContext(async function () {
          await this.handlerTx()
            .withServiceCalls(() => [
              hooks.scene.fragment.services.createInstance("hello", { id: "h-2" }),
            ])
            .mutate(({ forSchema }) => forSchema(shopSchema).create("order", { number: "h-1" }))
            .execute();
        }),
      ).rejects.toMatchObject({ code: "UNIQUE_VIOLATION" });
      expect(await hooks.pendingHooks()).toBe(1);
      await hooks.processHooks();
      expect(hooks.told).toEqual([{ workflowName: "hello", instanceId: "h-1", reason: "create" }]);
    });
  });
}
