/** The durable hook of the fragment, its dispatchers, and the processor that drives everything. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Row } from "@escapement/db";
import type { OnWorkflowEnqueued, WorkflowEnqueued } from "./config.ts";
import { selfCall, tickInProcess } from "./hooks.ts";
import { createDurableHooksProcessor } from "./processor.ts";
import { openScene, type Scene, shopSchema } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";
import { workflows } from "./testing-hooks.ts";

/** A promise, and what settles it. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const PAYLOAD = `cast("payload" as text)`;
/** Hooks of runs that come due by time: other tests' runs leave them for later. */
const IS_TIMED = `(${PAYLOAD} like '%"retry"%' or ${PAYLOAD} like '%"wake"%')`;
const SECRET = "a-secret-of-at-least-24-characters";

for (const server of SERVERS) {
  describe(`hooks on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    const told: WorkflowEnqueued[] = [];
    let dispatch: OnWorkflowEnqueued = () => undefined;
    beforeAll(async () => {
      scene = await openScene(server, {
        workflows,
        http: { tick: { bearerSecret: SECRET } },
        onWorkflowEnqueued: async (enqueued, context) => {
          told.push(enqueued);
          await dispatch(enqueued, context);
        },
      });
    });
    afterAll(() => scene.close());
    beforeEach(async () => {
      await processHooks();
      told.length = 0;
      dispatch = () => undefined;
    });

    /** Hooks alone: the engine is not ticked. */
    const processHooks = (): Promise<unknown> => {
      const { inContext, $internal } = scene.fragment;
      const withoutEngine = { $internal, inContext: inContext.bind(scene.fragment) };
      return createDurableHooksProcessor([withoutEngine]).process();
    };
    const post = (path: string, body: unknown = {}): Promise<Response> =>
      scene.fragment.handler(
        new Request(`http://app/api/workflows/workflows/${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
    const pendingHooks = async (): Promise<number> =>
      (
        await scene.query(
          `select 1 from "fragno_hooks" where "status" = 'pending' and not ${IS_TIMED}`,
        )
      ).length;

    test("S6-019 execute files the hook of its instance, and gives what that returns", async () => {
      told.length = 0;
      dispatch = (_enqueued, { engine }) => engine.tick();
      const executed = scene.fragment.workflows.HELLO.execute({ id: "executed" });
      const processor = createDurableHooksProcessor([scene.fragment]);
      await expect.poll(async () => (await processor.process()).processedCount).toBe(1);
      expect(told).toEqual([{ workflowName: "hello", instanceId: "executed", reason: "create" }]);
      await expect(executed).resolves.toBe("hello");
    });

    test("S0-132 creates, events that wake, resumes and restarts file hooks with their reason", async () => {
      await post("wait/instances", { id: "a" });
      await processHooks();
      await scene.fragment.engine.tick();
      await post("wait/instances/a/events", { type: "other" });
      await post("wait/instances/a/pause");
      await post("wait/instances/a/resume");
      await scene.fragment.engine.tick();
      await post("wait/instances/a/events", { type: "go", payload: 1 });
      await post("wait/instances/a/restart");
      await post("wait/instances/batch", { instances: [{ id: "b" }, { id: "a" }] });
      await processHooks();
      expect(told.map(({ instanceId, reason }) => `${instanceId} ${reason}`).toSorted()).toEqual(
        ["a create", "a create", "a event", "a resume", "b create"].toSorted(),
      );
      expect(told[0]).toEqual({ workflowName: "wait", instanceId: "a", reason: "create" });
    });

    test("S0-132 retries, sleeps and deadlines of waits file hooks in the commit that parks the run, due when it comes due", async () => {
      await post("late/instances", { id: "l-1" });
      await processHooks();
      told.length = 0;
      const filed = async (): Promise<readonly Row[]> =>
        scene.query(
          `select 1 from "fragno_hooks" where "status" = 'pending' and ${IS_TIMED} and ${PAYLOAD} like '%l-1%'`,
        );
      const before = (await filed()).length;
      const reasons: string[] = [];
      for (const [park, reason] of [
        ["the retry", "retry"],
        ["the sleep", "wake"],
        ["the deadline", "wake"],
      ] as const) {
        await scene.fragment.engine.tick();
        expect((await filed()).length, park).toBe(before + 1);
        await processHooks();
        expect(told, `${park} is not due yet`).toEqual([]);
        await scene.clock.advance(3_600_001);
        await processHooks();
        expect(told, park).toEqual([{ workflowName: "late", instanceId: "l-1", reason }]);
        reasons.push(...told.splice(0).map((enqueued) => enqueued.reason));
      }
      expect(reasons).toEqual(["retry", "wake", "wake"]);
      await scene.fragment.engine.tick();
      const { details } = await scene.fragment.engine.getInstance("late", "l-1");
      expect(details.status).toBe("complete");
    });

    test("S0-132 S6-012 a run that waits for a child alone files no hook: it comes due at no time", async () => {
      await post("order/instances", { id: "o-1" });
      await processHooks();
      await scene.fragment.engine.tick();
      const { details } = await scene.fragment.engine.getInstance("order", "o-1");
      expect(details.status).toBe("waiting");
      const ofOrder = `select 1 from "fragno_hooks" where "status" = 'pending' and ${PAYLOAD} like '%o-1%'`;
      expect(await scene.query(ofOrder)).toEqual([]);
    });

    test("S0-059 S0-132 bindings file hooks as the routes do, in workflow code too", async () => {
      const { HELLO, PARENT, WAIT } = scene.fragment.workflows;
      await PARENT.create({ id: "parent" });
      await WAIT.createBatch([{ id: "bound" }]);
      await scene.fragment.engine.tick();
      const bound = await WAIT.get("bound");
      await bound.sendEvent({ type: "go", payload: 1 });
      await bound.restart();
      await processHooks();
      expect(told.map(({ instanceId, reason }) => `${instanceId} ${reason}`).toSorted()).toEqual([
        "bound create",
        "bound create",
        "bound event",
        "child create",
        "parent create",
      ]);
      await expect(HELLO.create({ id: "child" })).rejects.toMatchObject({
        code: "INSTANCE_ID_ALREADY_EXISTS",
      });
    });

    test("S0-007 S0-062 S0-133 the hook's row is in the transaction of the state change: both or neither, in one trip", async () => {
      const compose = (number: string): Promise<unknown> =>
        scene.shop.inContext(async function () {
          await this.handlerTx()
            .withServiceCalls(() => [
              scene.fragment.services.createInstance("hello", { id: number }),
            ])
            .mutate(({ forSchema }) => forSchema(shopSchema).create("order", { number }))
            .execute();
        });
      const [trips] = await scene.countTrips(() => compose("h-1"));
      expect(trips).toBe(1);
      expect(await pendingHooks()).toBe(1);
      await expect(
        scene.shop.inContext(async function () {
          await this.handlerTx()
            .withServiceCalls(() => [
              scene.fragment.services.createInstance("hello", { id: "h-2" }),
            ])
            .mutate(({ forSchema }) => forSchema(shopSchema).create("order", { number: "h-1" }))
            .execute();
        }),
      ).rejects.toMatchObject({ code: "UNIQUE_VIOLATION" });
      expect(await pendingHooks()).toBe(1);
      await processHooks();
      expect(told).toEqual([{ workflowName: "hello", instanceId: "h-1", reason: "create" }]);
    });

    test("S2-040 neither create nor batch create waits for a hook", async () => {
      dispatch = () => new Promise(() => undefined);
      const single = await post("hello/instances", { id: "quick" });
      const batch = await post("hello/instances/batch", {
        instances: [{ id: "q-1" }, { id: "q-2" }],
      });
      expect([single.status, batch.status, told.length]).toEqual([200, 200, 0]);
      dispatch = () => undefined;
    });

    test("S2-014 hooks run in the background after the commit: the request has its answer while they run, and they end without another call", async () => {
      // Only what a commit tells the processor can start a pass before this test's time is over.
      const processor = createDurableHooksProcessor([scene.shop, scene.fragment], {
        pollIntervalMs: 3_600_000,
      });
      processor.startPolling();
      await expect.poll(pendingHooks).toBe(0);
      const begun = withResolvers<undefined>();
      const held = withResolvers<undefined>();
      const ended: string[] = [];
      dispatch = async ({ instanceId }) => {
        begun.resolve(undefined);
        await held.promise;
        ended.push(instanceId);
      };
      const answer = await post("hello/instances", { id: "behind" });
      expect([answer.status, await answer.json()]).toMatchObject([200, { id: "behind" }]);
      await begun.promise;
      expect(ended).toEqual([]);
      const open = `select "status" from "fragno_hooks" where "status" <> 'completed' and not ${IS_TIMED}`;
      const [running] = await scene.query(open);
      expect(running).toEqual({ status: "processing" });
      held.resolve(undefined);
      await expect.poll(() => scene.query(open)).toEqual([]);
      expect(ended).toEqual(["behind"]);
      await processor.stopPolling();
    });

    test("S0-134 S2-015 S2-017 a hook awaits its tick; a failing one is recorded and tried again, and rejects nothing", async () => {
      const unhandled: unknown[] = [];
      const onUnhandled = (error: unknown): void => void unhandled.push(error);
      process.on("unhandledRejection", onUnhandled);
      let failures = 1;
      dispatch = async (enqueued, context) => {
        failures -= 1;
        if (failures >= 0) throw new RangeError("the tick failed");
        await tickInProcess()(enqueued, context);
      };
      await post("hello/instances", { id: "retried" });
      await processHooks();
      const [failed] = await scene.query(
        `select "status", "attempts", "error" from "fragno_hooks" where "error" is not null`,
      );
      expect(failed).toMatchObject({ status: "pending", attempts: 1, error: "the tick failed" });
      const { nextWakeInMs } = await createDurableHooksProcessor([
        scene.shop,
        scene.fragment,
      ]).process();
      expect(nextWakeInMs).toBeGreaterThan(0);
      await scene.clock.advance(60_000);
      await processHooks();
      process.off("unhandledRejection", onUnhandled);
      expect(unhandled).toEqual([]);
      expect(await scene.fragment.engine.getInstance("hello", "retried")).toMatchObject({
        details: { status: "complete" },
      });
    });

    test("a hook that hangs does not hold up the workflows of the same pass", async () => {
      const release: (() => void)[] = [];
      dispatch = () => new Promise<void>((resolve) => void release.push(resolve));
      await post("hello/instances", { id: "beside" });
      const pass = createDurableHooksProcessor([scene.fragment]).process();
      await expect
        .poll(() => scene.fragment.engine.getInstance("hello", "beside"), { timeout: 60_000 })
        .toMatchObject({ details: { status: "complete" } });
      await expect.poll(() => release).toHaveLength(1);
      release[0]?.();
      expect(await pass).toMatchObject({ processedCount: 1, instanceCount: 1 });
    });

    test("a dispatcher is told by its signal that its time is over; the hook is tried again", async () => {
      dispatch = (_enqueued, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      await post("hello/instances", { id: "slow" });
      const processor = createDurableHooksProcessor([scene.fragment], { hookTimeoutMs: 5 });
      await processor.process();
      expect(
        await scene.query(
          `select "status", "attempts" from "fragno_hooks" where "error" like '%5 ms%'`,
        ),
      ).toEqual([{ status: "pending", attempts: 1 }]);
      dispatch = () => undefined;
      await scene.clock.advance(60_000);
      await processHooks();
      expect(await pendingHooks()).toBe(0);
    });

    test("S2-016 a user's onAfterMutate is awaited", async () => {
      const order: string[] = [];
      await scene.fragment.inContext(async function () {
        await this.handlerTx({
          onAfterMutate: async () => {
            await Promise.resolve();
            order.push("after");
          },
        })
          .withServiceCalls(() => [scene.fragment.services.createInstance("hello")])
          .execute();
        order.push("done");
      });
      expect(order).toEqual(["after", "done"]);
    });

    test("a hook can call the tick route; a refusal fails it", async () => {
      const url = "https://app.example/api/workflows/_runner/tick";
      const fetch = (request: Request): Promise<Response> => scene.fragment.handler(request);
      dispatch = selfCall({ url, bearerSecret: SECRET, fetch });
      await post("hello/instances", { id: "called" });
      await processHooks();
      expect(await scene.fragment.engine.getInstance("hello", "called")).toMatchObject({
        details: { status: "complete" },
      });
      const refused = selfCall({ url, bearerSecret: `${SECRET}-of-another`, fetch });
      const { signal } = new AbortController();
      const context = { engine: scene.fragment.engine, idempotencyKey: "k", signal };
      await expect(
        Promise.resolve(
          refused({ workflowName: "hello", instanceId: "x", reason: "create" }, context),
        ),
      ).rejects.toMatchObject({
        code: "WAKE_FAILED",
        message: expect.stringContaining("status 401"),
      });
    });
  });
}
