/** Deadline, tags and memo by the services and through the fragment, on real databases. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineWorkflow } from "./authoring.ts";
import type { WorkflowsServices } from "./services/services.ts";
import { callService, openScene, type Scene } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";

const HOUR_MS = 3_600_000;
const workflows = {
  ANY: defineWorkflow({ name: "any" }, async (_event, step) => step.sleep("nap", "30 days")),
  PARENT: defineWorkflow({ name: "parent" }, async (_event, step) =>
    step.invoke("any", { id: "child", deadline: HOUR_MS, tags: ["of parent"] }),
  ),
} as const;
type Input = NonNullable<Parameters<WorkflowsServices["createInstance"]>[1]>;

for (const server of SERVERS) {
  describe(`run options on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    beforeAll(async () => {
      scene = await openScene(server, { workflows, onWorkflowEnqueued: async () => undefined });
    });
    afterAll(() => scene.close());

    const call = (make: () => unknown): Promise<unknown> => callService(scene.fragment, make);
    const create = (input: Input): Promise<unknown> =>
      call(() => scene.fragment.services.createInstance("any", input));
    const status = async (id: string) =>
      (await scene.fragment.engine.getInstance("any", id)).details;
    const tick = () => scene.fragment.engine.tick();
    const hooksOf = async (id: string): Promise<readonly number[]> => {
      const { dialect } = scene.database;
      const rows = await scene.query(
        `select ${dialect.toMs(`"nextRetryAt"`)} as "at", "payload" from "fragno_hooks" where "nextRetryAt" is not null`,
      );
      return rows
        .filter(({ payload }) => JSON.stringify(payload).includes(id))
        .map(({ at }) => Number(at))
        .toSorted((a, b) => a - b);
    };

    test("S6-023 a create says them in one trip, is due by its deadline, and files a hook for it", async () => {
      const now = await scene.clock.now();
      const said = { tags: ["vip"], memo: { by: "ada" } };
      const [trips, view] = await scene.countTrips(() =>
        create({ id: "s-1", ...said, deadline: HOUR_MS }),
      );
      expect(trips).toBe(1);
      expect(view).toEqual({ id: "s-1", details: { status: "queued", runNumber: 1, ...said } });
      expect(await status("s-1")).toMatchObject({ ...said, deadlineAt: now + HOUR_MS });
      expect(await hooksOf("s-1")).toContain(now + HOUR_MS);
      await tick();
      expect((await status("s-1")).status).toBe("waiting");
      await scene.clock.advance(HOUR_MS);
      await tick();
      const error = { code: "DEADLINE_EXCEEDED" };
      expect(await status("s-1")).toMatchObject({ status: "errored", error });
    });

    test.each([
      ["both delays", (_now: number) => ({ delay: 2 * HOUR_MS, deadline: HOUR_MS })],
      [
        "both instants",
        (now: number) => ({ startAt: now + 2 * HOUR_MS, deadlineAt: now + HOUR_MS }),
      ],
      [
        "a delay and an instant",
        (now: number) => ({ delay: 2 * HOUR_MS, deadlineAt: now + HOUR_MS }),
      ],
      [
        "a deadline behind the start",
        (_now: number) => ({ delay: HOUR_MS, deadline: 2 * HOUR_MS }),
      ],
    ])(
      "S6-023 one that is to start later is due at the earlier of both: %s",
      async (_name, when) => {
        const now = await scene.clock.now();
        const id = `later-${String(now)}-${String(Math.floor(performance.now() * 1000))}`;
        await create({ id, ...when(now) });
        expect(await tick()).toMatchObject({ processed: 0, nextWakeAt: now + HOUR_MS });
        await call(() => scene.fragment.services.pause("any", id));
        await call(() => scene.fragment.services.resume("any", id));
        expect(await tick()).toMatchObject({ processed: 0, nextWakeAt: now + HOUR_MS });
        await call(() => scene.fragment.services.terminate("any", id));
      },
    );

    test("S6-023 a restart by the service keeps a deadline that is still to come, and restartOrCreate replaces what it says", async () => {
      const now = await scene.clock.now();
      await create({ id: "r", deadline: HOUR_MS, tags: ["a"], memo: 1 });
      await call(() => scene.fragment.services.restart("any", "r"));
      const kept = { deadlineAt: now + HOUR_MS, tags: ["a"], memo: 1 };
      expect(await status("r")).toMatchObject({ runNumber: 2, ...kept });
      const again = (more: object) =>
        call(() => scene.fragment.services.restartOrCreate("any", { id: "r", ...more }));
      expect(await again({ tags: ["b"] })).toMatchObject({ details: { tags: ["b"], memo: 1 } });
      expect(await status("r")).toMatchObject({ ...kept, runNumber: 3, tags: ["b"] });
      await again({ deadline: 50, memo: null, tags: [] });
      expect(await status("r")).toEqual({
        status: "queued",
        runNumber: 4,
        deadlineAt: now + 50,
      });
      await scene.clock.advance(50);
      await call(() => scene.fragment.services.restart("any", "r"));
      expect(await status("r")).toEqual({ status: "queued", runNumber: 5 });
      await call(() => scene.fragment.services.terminate("any", "r"));
    });

    test("S6-023 a child's deadline has a hook of its own, filed by its parent's commit", async () => {
      const now = await scene.clock.now();
      await call(() => scene.fragment.services.createInstance("parent", { id: "p" }));
      await tick();
      expect(await status("child")).toMatchObject({
        tags: ["of parent"],
        deadlineAt: now + HOUR_MS,
      });
      expect(await hooksOf("child")).toContain(now + HOUR_MS);
    });

    test("S6-023 the fragment's handle updates them by the engine", async () => {
      await create({ id: "u" });
      const instance = await scene.fragment.workflows.ANY.get("u");
      await instance.update({ tags: ["x"], memo: { n: 1 }, deadline: HOUR_MS });
      const deadlineAt = (await scene.clock.now()) + HOUR_MS;
      expect(await instance.status()).toMatchObject({ tags: ["x"], memo: { n: 1 }, deadlineAt });
    });

    test.each([
      [{ tags: ["x".repeat(65)] }, "INVALID_REQUEST"],
      [{ memo: "x".repeat(5000) }, "PAYLOAD_TOO_LARGE"],
      [{ deadline: "soon" }, "INVALID_DURATION"],
    ])("S6-023 what cannot be is refused: %j", async (said, code) => {
      await expect(create({ id: "wrong", ...said } as Input)).rejects.toMatchObject({ code });
      await expect(status("wrong")).rejects.toMatchObject({ code: "INSTANCE_NOT_FOUND" });
    });
  });
}
