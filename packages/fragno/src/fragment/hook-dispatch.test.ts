/** Dispatchers of the fragment's hook: nothing waits for them, and one that fails or hangs is called again. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { selfCall, tickInProcess } from "./hooks.ts";
import { createDurableHooksProcessor } from "./processor.ts";
import { SERVERS } from "./testing-step-tx.ts";
import { type HookScene, IS_TIMED_HOOK, openHookScene, TICK_SECRET } from "./testing-hooks.ts";

/** A promise and the functions that settle it. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

for (const server of SERVERS) {
  describe(`dispatchers on ${server.name}`, () => {
    let hooks: HookScene;
    beforeAll(async () => {
      hooks = await openHookScene(server);
    });
    beforeEach(() => hooks.forget());
    afterAll(() => hooks.scene.close());

    test("S2-040 neither create nor batch create waits for a hook", async () => {
      hooks.dispatch = () => new Promise(() => undefined);
      const single = await hooks.post("hello/instances", { id: "quick" });
      const batch = await hooks.post("hello/instances/batch", {
        instances: [{ id: "q-1" }, { id: "q-2" }],
      });
      expect([single.status, batch.status, hooks.told.length]).toEqual([200, 200, 0]);
      hooks.dispatch = () => undefined;
    });

    test("S2-014 hooks run in the background after the commit: the request has its answer while they run, and they end without another call", async () => {
      // Only the commit's signal to the processor can start a pass before this test's time is over.
      const processor = createDurableHooksProcessor([hooks.scene.shop, hooks.scene.fragment], {
        pollIntervalMs: 3_600_000,
      });
      processor.startPolling();
      await expect.poll(hooks.pendingHooks).toBe(0);
      const begun = withResolvers<undefined>();
      const held = withResolvers<undefined>();
      const ended: string[] = [];
      hooks.dispatch = async ({ instanceId }) => {
        begun.resolve(undefined);
        await held.promise;
        ended.push(instanceId);
      };
      const answer = await hooks.post("hello/instances", { id: "behind" });
      expect([answer.status, await answer.json()]).toMatchObject([200, { id: "behind" }]);
      await begun.promise;
      expect(ended).toEqual([]);
      const open = `select "status" from "fragno_hooks" where "status" <> 'completed' and not ${IS_TIMED_HOOK}`;
      const [running] = await hooks.scene.query(open);
      expect(running).toEqual({ status: "processing" });
      held.resolve(undefined);
      await expect.poll(() => hooks.scene.query(open)).toEqual([]);
      expect(ended).toEqual(["behind"]);
      await processor.stopPolling();
    });

    test("S0-134 S2-015 S2-017 a hook awaits its tick; a failing one is recorded and tried again, and rejects nothing", async () => {
      const unhandled: unknown[] = [];
      const onUnhandled = (error: unknown): void => void unhandled.push(error);
      process.on("unhandledRejection", onUnhandled);
      let failures = 1;
      hooks.dispatch = async (enqueued, context) => {
        failures -= 1;
        if (failures >= 0) throw new RangeError("the tick failed");
        await tickInProcess()(enqueued, context);
      };
      await hooks.post("hello/instances", { id: "retried" });
      await hooks.processHooks();
      const [failed] = await hooks.scene.query(
        `select "status", "attempts", "error" from "fragno_hooks" where "error" is not null`,
      );
      expect(failed).toMatchObject({ status: "pending", attempts: 1, error: "the tick failed" });
      const { nextWakeInMs } = await createDurableHooksProcessor([
        hooks.scene.shop,
        hooks.scene.fragment,
      ]).process();
      expect(nextWakeInMs).toBeGreaterThan(0);
      await hooks.scene.clock.advance(60_000);
      await hooks.processHooks();
      process.off("unhandledRejection", onUnhandled);
      expect(unhandled).toEqual([]);
      expect(await hooks.scene.fragment.engine.getInstance("hello", "retried")).toMatchObject({
        details: { status: "complete" },
      });
    });

    test("a hook that hangs does not hold up the workflows of the same pass", async () => {
      const release: (() => void)[] = [];
      hooks.dispatch = () => new Promise<void>((resolve) => void release.push(resolve));
      await hooks.post("hello/instances", { id: "beside" });
      const pass = createDurableHooksProcessor([hooks.scene.fragment]).process();
      await expect
        .poll(() => hooks.scene.fragment.engine.getInstance("hello", "beside"), { timeout: 60_000 })
        .toMatchObject({ details: { status: "complete" } });
      await expect.poll(() => release).toHaveLength(1);
      release[0]?.();
      expect(await pass).toMatchObject({ processedCount: 1, instanceCount: 1 });
    });

    test("a dispatcher is told by its signal that its time is over; the hook is tried again", async () => {
      hooks.dispatch = (_enqueued, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      await hooks.post("hello/instances", { id: "slow" });
      const processor = createDurableHooksProcessor([hooks.scene.fragment], { hookTimeoutMs: 5 });
      await processor.process();
      expect(
        await hooks.scene.query(
          `select "status", "attempts" from "fragno_hooks" where "error" like '%5 ms%'`,
        ),
      ).toEqual([{ status: "pending", attempts: 1 }]);
      hooks.dispatch = () => undefined;
      await hooks.scene.clock.advance(60_000);
      await hooks.processHooks();
      expect(await hooks.pendingHooks()).toBe(0);
    });

    test("S2-016 a user's onAfterMutate is awaited", async () => {
      const order: string[] = [];
      await hooks.scene.fragment.inContext(async function () {
        await this.handlerTx({
          onAfterMutate: async () => {
            await Promise.resolve();
            order.push("after");
          },
        })
          .withServiceCalls(() => [hooks.scene.fragment.services.createInstance("hello")])
          .execute();
        order.push("done");
      });
      expect(order).toEqual(["after", "done"]);
    });

    test("a hook can call the tick route; a refusal fails it", async () => {
      const url = "https://app.example/api/workflows/_runner/tick";
      const fetch = (request: Request): Promise<Response> => hooks.scene.fragment.handler(request);
      hooks.dispatch = selfCall({ url, bearerSecret: TICK_SECRET, fetch });
      await hooks.post("hello/instances", { id: "called" });
      await hooks.processHooks();
      expect(await hooks.scene.fragment.engine.getInstance("hello", "called")).toMatchObject({
        details: { status: "complete" },
      });
      const refused = selfCall({ url, bearerSecret: `${TICK_SECRET}-of-another`, fetch });
      const { signal } = new AbortController();
      const context = { engine: hooks.scene.fragment.engine, idempotencyKey: "k", signal };
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
