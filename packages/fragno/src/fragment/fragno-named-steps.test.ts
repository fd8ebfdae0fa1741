/** Services for steps under the names of Fragno's own workflows fragment, on real databases. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineWorkflow } from "./authoring.ts";
import { callService, openScene, type Scene } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";

const broken = new Set<string>();
const keys: string[] = [];

const FLAKY = defineWorkflow({ name: "flaky" }, async (event, step) => {
  await step.do("calm", () => 1);
  const once = { retries: { limit: 0, delay: 0 } };
  await step.do("pay", once, ({ idempotencyKey }) => {
    keys.push(idempotencyKey);
    if (broken.has(event.instanceId)) throw new RangeError("no money");
  });
  if (broken.has(`${event.instanceId} code`)) throw new TypeError("the code is broken");
});
const workflows = { FLAKY } as const;

for (const server of SERVERS) {
  describe(`services of steps by Fragno's names on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    beforeAll(async () => {
      // Steps settle only by the database's time, which is virtual.
      scene = await openScene(server, { workflows, host: { elapsedMs: () => 0 } });
    });
    afterAll(() => scene.close());

    const call = (make: () => unknown): Promise<unknown> => callService(scene.fragment, make);
    const codeOf = (make: () => unknown): Promise<string> =>
      call(make).then(
        () => "none",
        (error: { code: string }) => error.code,
      );

    test("the current step is the last that began, of the present run, in one trip", async () => {
      const { engine, services } = scene.fragment;
      const read = (): Promise<unknown> =>
        call(() => services.getInstanceCurrentStep("flaky", "steps"));
      broken.add("steps");
      await engine.createInstance("flaky", { id: "steps" });
      expect(await read()).toBeUndefined();
      await engine.tick();
      const [trips, step] = await scene.countTrips(read);
      expect(trips).toBe(1);
      expect(step).toEqual({
        name: "pay",
        stepKey: "pay",
        type: "do",
        status: "errored",
        attempts: 1,
        lostAttempts: 0,
        maxAttempts: 1,
        timeoutMs: 600_000,
        nextRetryAt: null,
        wakeAt: null,
        waitEventType: null,
        waitsFor: null,
        attemptStartedAt: expect.any(Number),
        runner: expect.any(String),
        failedAttempts: [
          expect.objectContaining({
            attempt: 1,
            error: { name: "RangeError", message: "no money" },
          }),
        ],
        error: expect.objectContaining({ name: "RangeError", message: "no money" }),
      });
      await engine.control("flaky", "steps", "restart");
      expect(await read()).toBeUndefined();
      expect(await codeOf(() => services.getInstanceCurrentStep("flaky", "nobody"))).toBe(
        "INSTANCE_NOT_FOUND",
      );
      await engine.control("flaky", "steps", "terminate");
    });

    test("S6-021 retryFailedStep says which step runs again, and when", async () => {
      const { engine, services } = scene.fragment;
      broken.add("retried");
      await engine.createInstance("flaky", { id: "retried" });
      await engine.tick();
      keys.length = 0;
      const retried = call(() => services.retryFailedStep("flaky", "retried", { delayMs: 5000 }));
      expect(await retried).toEqual({
        accepted: true,
        instance: { id: "retried", details: { status: "queued", runNumber: 1 } },
        retry: { stepKey: "pay", attempts: 1, maxAttempts: 1, delayMs: 5000 },
      });
      // A resumed run is due at once; the step is not.
      await engine.control("flaky", "retried", "pause");
      await engine.control("flaky", "retried", "resume");
      await scene.clock.advance(4999);
      await engine.tick();
      expect(keys).toEqual([]);
      broken.delete("retried");
      await scene.clock.advance(1);
      await engine.tick();
      expect(keys).toHaveLength(1);
      expect((await engine.getInstance("flaky", "retried")).details.status).toBe("complete");
      expect(await codeOf(() => services.retryFailedStep("flaky", "retried"))).toBe(
        "INSTANCE_NOT_ERRORED",
      );
    });

    test("S6-021 where no step failed, retryFailedStep runs the code again", async () => {
      const { engine, services } = scene.fragment;
      broken.add("coded code");
      await engine.createInstance("flaky", { id: "coded" });
      await engine.tick();
      broken.delete("coded code");
      const retry = (options?: object): Promise<unknown> =>
        call(() => services.retryFailedStep("flaky", "coded", options));
      await expect(retry({ delayMs: -1 })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
      await expect(retry({ delayms: 1 })).rejects.toMatchObject({ code: "UNKNOWN_OPTION" });
      expect(await retry()).toMatchObject({ accepted: true, retry: null });
      await engine.tick();
      expect((await engine.getInstance("flaky", "coded")).details.status).toBe("complete");
    });
  });
}
