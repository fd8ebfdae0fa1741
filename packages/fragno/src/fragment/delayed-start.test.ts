/** Instances with a delayed start, created and controlled by services, on real databases. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WorkflowsServices } from "./services/services.ts";
import { defineWorkflow } from "./authoring.ts";
import { callService, openScene, type Scene } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";

const HOUR_MS = 3_600_000;
const workflows = { ANY: defineWorkflow({ name: "any" }, () => "done") } as const;
type Input = NonNullable<Parameters<WorkflowsServices["createInstance"]>[1]>;

for (const server of SERVERS) {
  describe(`delayed starts on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    beforeAll(async () => {
      scene = await openScene(server, { workflows, onWorkflowEnqueued: async () => undefined });
    });
    afterAll(() => scene.close());

    const call = (make: () => unknown): Promise<unknown> => callService(scene.fragment, make);
    const create = (input: Input): Promise<unknown> =>
      call(() => scene.fragment.services.createInstance("any", input));
    const control = (command: "pause" | "resume" | "restart", id: string): Promise<unknown> =>
      call(() => scene.fragment.services[command]("any", id));
    const status = async (id: string) =>
      (await scene.fragment.engine.getInstance("any", id)).details;
    const tickNow = () => scene.fragment.engine.tick();

    test("a create is one trip, starts by the database's clock, and files its hook for then", async () => {
      const now = await scene.clock.now();
      const [trips] = await scene.countTrips(() => create({ id: "delay", delay: HOUR_MS }));
      expect(trips).toBe(1);
      await create({ id: "instant", startAt: now + HOUR_MS });
      for (const id of ["delay", "instant"])
        expect(await status(id)).toEqual({
          status: "queued",
          runNumber: 1,
          startsAt: now + HOUR_MS,
        });
      expect(await tickNow()).toMatchObject({ processed: 0, nextWakeAt: now + HOUR_MS });
      const { dialect } = scene.database;
      const hooks = await scene.query(
        `select ${dialect.toMs(`"nextRetryAt"`)} as "at" from "fragno_hooks"`,
      );
      expect(hooks.map(({ at }) => Number(at))).toEqual([now + HOUR_MS, now + HOUR_MS]);
      await scene.clock.advance(HOUR_MS);
      expect(await tickNow()).toMatchObject({ processed: 2 });
      expect(await status("delay")).toMatchObject({ status: "complete" });
    });

    test("an instant that is past is at once", async () => {
      await create({ id: "past", startAt: (await scene.clock.now()) - HOUR_MS });
      expect(await status("past")).toEqual({ status: "queued", runNumber: 1 });
      expect(await tickNow()).toMatchObject({ processed: 1 });
    });

    test("paused and resumed it keeps its time; a restart starts at once", async () => {
      const startsAt = (await scene.clock.now()) + HOUR_MS;
      await create({ id: "kept", startAt: startsAt });
      await create({ id: "restarted", startAt: startsAt });
      await control("pause", "kept");
      expect(await status("kept")).toMatchObject({ status: "paused", startsAt });
      await control("resume", "kept");
      expect(await tickNow()).toMatchObject({ processed: 0, nextWakeAt: startsAt });
      await control("restart", "restarted");
      expect(await tickNow()).toMatchObject({ processed: 1 });
      await scene.clock.advance(HOUR_MS);
      expect(await tickNow()).toMatchObject({ processed: 1 });
      expect(await status("restarted")).toMatchObject({ status: "complete", runNumber: 2 });
    });

    test.each([
      [{ startAt: 1, delay: 1 }, "INVALID_REQUEST"],
      [{ delay: -1 }, "INVALID_DURATION"],
      [{ startAt: Number.NaN }, "INVALID_DURATION"],
    ])("what cannot be is refused: %j", async (start, code) => {
      await expect(create({ id: "wrong", ...start })).rejects.toMatchObject({ code });
      await expect(status("wrong")).rejects.toMatchObject({ code: "INSTANCE_NOT_FOUND" });
    });

    test("a batch takes a time for each", async () => {
      const batch = [{ id: "b1", delay: "1 hour" }, { id: "b2" }] as const;
      await call(() => scene.fragment.services.createBatch("any", batch));
      expect(await tickNow()).toMatchObject({ processed: 1 });
      expect(await status("b1")).toMatchObject({ status: "queued" });
    });
  });
}
