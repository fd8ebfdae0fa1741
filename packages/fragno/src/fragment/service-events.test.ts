/** Events that services send in the caller's transaction: which runs they wake, and that none is lost. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineWorkflow } from "./authoring.ts";
import { callService, openScene, type Scene } from "./testing-scene.ts";
import { runUntilIdle, SERVERS } from "./testing-step-tx.ts";

const workflows = {
  ORDER: defineWorkflow(
    { name: "order", schema: z.object({ id: z.string() }), events: { paid: z.number() } },
    async (_event, step) => {
      const paid = await step.waitForEvent("payment", { type: "paid", timeout: "1 hour" });
      return paid.payload;
    },
  ),
  WAIT: defineWorkflow({ name: "wait" }, async (_event, step) => {
    const seen: unknown[] = [];
    for (let index = 0; index < 10; index += 1)
      seen.push((await step.waitForEvent(`event ${index}`, { type: "tell" })).payload);
    return seen;
  }),
} as const;

for (const server of SERVERS) {
  describe(`events of services on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    beforeAll(async () => {
      scene = await openScene(server, { workflows });
    });
    afterAll(() => scene.close());

    /** One service call in its own transaction. */
    const call = (make: () => unknown): Promise<unknown> => callService(scene.fragment, make);

    test("an event and a command for another run, or another status, are refused and change nothing", async () => {
      const { services } = scene.fragment;
      await call(() => services.createInstance("wait", { id: "demand" }));
      await runUntilIdle(scene.fragment.engine);
      const event = { type: "tell", payload: 1 };
      for (const [demand, code] of [
        [{ ifRunNumber: 2 }, "RUN_NUMBER_MISMATCH"],
        [{ ifStatus: ["paused", "errored"] }, "STATUS_MISMATCH"],
      ] as const) {
        const sent = call(() => services.sendEvent("wait", "demand", { ...event, ...demand }));
        await expect(sent).rejects.toMatchObject({ code, status: 409 });
        const paused = call(() => services.pause("wait", "demand", demand));
        await expect(paused).rejects.toMatchObject({ code, status: 409 });
      }
      const { events } = await scene.fragment.engine.listHistory("wait", "demand", {});
      expect(events).toEqual([]);
      const met = { ifRunNumber: 1, ifStatus: ["waiting"] } as const;
      await call(() => services.sendEvent("wait", "demand", { ...event, ...met }));
      await call(() => services.pause("wait", "demand", { ifStatus: ["waiting", "queued"] }));
      const status = await call(() => services.getInstanceStatus("wait", "demand"));
      expect(status).toMatchObject({ status: "paused" });
    });

    test("an event wakes the wait that asks for it, in the caller's transaction", async () => {
      await call(() =>
        scene.fragment.services.createInstance("order", { id: "e-1", params: { id: "e" } }),
      );
      await runUntilIdle(scene.fragment.engine);
      const sent = await call(() =>
        scene.fragment.services.sendEvent("order", "e-1", { type: "paid", payload: 7 }),
      );
      expect(sent).toEqual({ status: "waiting", runNumber: 1 });
      await runUntilIdle(scene.fragment.engine);
      const status = await call(() => scene.fragment.services.getInstanceStatus("order", "e-1"));
      expect(status).toEqual({ status: "complete", runNumber: 1, output: 7 });
      await expect(
        call(() => scene.fragment.services.sendEvent("order", "e-1", { type: "paid", payload: 8 })),
      ).rejects.toMatchObject({ code: "INSTANCE_TERMINAL", status: 409 });
    });

    test("S2-026 S2-027 an event behind the deadline is stored, wakes nobody and is not delivered", async () => {
      await call(() =>
        scene.fragment.services.createInstance("order", { id: "late", params: { id: "l" } }),
      );
      await runUntilIdle(scene.fragment.engine);
      const [before] = await scene.query(
        `select "runAt", "kind" from "workflow_task_workflows" where "instanceId" = 'late'`,
      );
      await scene.clock.advance(2 * 3_600_000);
      await call(() =>
        scene.fragment.services.sendEvent("order", "late", { type: "paid", payload: 1 }),
      );
      const [after] = await scene.query(
        `select "runAt", "kind" from "workflow_task_workflows" where "instanceId" = 'late'`,
      );
      expect(after).toEqual(before);
      await runUntilIdle(scene.fragment.engine);
      const history = await scene.fragment.engine.listHistory("order", "late", {});
      expect(history.events).toMatchObject([{ deliveredAt: null, consumedByStepKey: null }]);
      expect(history.steps).toMatchObject([{ status: "errored" }]);
    });

    test("S0-129 an event that meets a restart is kept for the run that it finds, and not for the one it looked at", async () => {
      const { engine, services } = scene.fragment;
      await call(() => services.createInstance("wait", { id: "restarted" }));
      await engine.control("wait", "restarted", "pause");
      scene.beforeNext(/insert into "workflow_event/i, () =>
        engine.control("wait", "restarted", "restart"),
      );
      await call(() => services.sendEvent("wait", "restarted", { type: "tell", payload: 1 }));
      const events = await scene.query(
        `select "runNumber" from "workflow_event_workflows" where "instanceId" = 'restarted'`,
      );
      expect(events).toEqual([{ runNumber: 2 }]);
    });

    test("S0-150 an event that meets the end of its run is refused, and not lost", async () => {
      const { engine, services } = scene.fragment;
      await call(() => services.createInstance("wait", { id: "ended" }));
      scene.beforeNext(/insert into "workflow_event/i, () =>
        engine.control("wait", "ended", "terminate"),
      );
      await expect(
        call(() => services.sendEvent("wait", "ended", { type: "tell" })),
      ).rejects.toMatchObject({ code: "INSTANCE_TERMINAL", status: 409 });
    });

    test("S0-129 several events of one transaction are all stored, in their order", async () => {
      const { fragment } = scene;
      await call(() => fragment.services.createInstance("wait", { id: "several" }));
      await runUntilIdle(fragment.engine);
      const tell = (payload: number) =>
        fragment.services.sendEvent("wait", "several", { type: "tell", payload });
      await fragment.inContext(async function () {
        await this.handlerTx()
          .withServiceCalls(() => [tell(1), tell(2)] as const)
          .execute();
      });
      const { events } = await fragment.engine.listHistory("wait", "several", {});
      expect(events.map(({ payload }) => payload)).toEqual([1, 2]);
      await runUntilIdle(fragment.engine);
    });

    test("another event keeps the place in the queue of a run that the first has made due", async () => {
      await call(() => scene.fragment.services.createInstance("wait", { id: "due" }));
      await runUntilIdle(scene.fragment.engine);
      const send = (): Promise<unknown> =>
        call(() => scene.fragment.services.sendEvent("wait", "due", { type: "tell" }));
      const dueAt = async (): Promise<unknown> =>
        (
          await scene.query(
            `select "runAt" from "workflow_task_workflows" where "instanceId" = 'due'`,
          )
        )[0]?.["runAt"];
      await send();
      const first = await dueAt();
      await scene.clock.advance(10_000);
      await send();
      expect(await dueAt()).toEqual(first);
      await runUntilIdle(scene.fragment.engine);
    });

    test("events sent at once while the runner parks and wakes are all consumed, each once", async () => {
      await call(() => scene.fragment.services.createInstance("wait", { id: "many" }));
      const loop = scene.fragment.engine.startLoop({ pollMs: 60_000 });
      await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          scene.fragment.inContext(async function () {
            await this.handlerTx({ retryPolicy: { shouldRetry: () => true, getDelayMs: () => 3 } })
              .withServiceCalls(() => [
                scene.fragment.services.sendEvent("wait", "many", { type: "tell", payload: n }),
              ])
              .execute();
          }),
        ),
      );
      await expect
        .poll(() => scene.fragment.engine.getInstance("wait", "many"), { timeout: 60_000 })
        .toMatchObject({ details: { status: "complete" } });
      await loop.stop();
      const { details } = await scene.fragment.engine.getInstance("wait", "many");
      expect((details.output as number[]).toSorted((a, b) => a - b)).toEqual([
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
      ]);
    });

    test("history by the service is the engine's, page by page, with cursors of either", async () => {
      const { engine, services } = scene.fragment;
      const whole = await engine.listHistory("wait", "many", {});
      const first = (await call(() =>
        services.listHistory("wait", "many", { pageSize: 4 }),
      )) as typeof whole;
      expect(first).toEqual(await engine.listHistory("wait", "many", { pageSize: 4 }));
      const steps = [...first.steps];
      let { cursor } = first;
      while (cursor !== undefined) {
        const input = { pageSize: 4, cursor };
        const page = (await call(() =>
          services.listHistory("wait", "many", input),
        )) as typeof whole;
        expect(page).toEqual(await engine.listHistory("wait", "many", input));
        steps.push(...page.steps);
        cursor = page.cursor;
      }
      expect(steps).toEqual(whole.steps);
      const [trips] = await scene.countTrips(() =>
        call(() => services.listHistory("wait", "many")),
      );
      expect(trips).toBe(1);
    });
  });
}
