/** Services under the names of Fragno's own workflows fragment, on real databases. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineWorkflow } from "./authoring.ts";
import { callService, openScene, type Scene } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";

const HOUR_MS = 3_600_000;

const N = defineWorkflow(
  { name: "n", schema: z.object({ n: z.number() }) },
  (event) => event.payload.n,
);
const LATER = defineWorkflow({ name: "later" }, async (event, step) => {
  await step.sleep("nap", "1 hour");
  return "x".repeat(Number(event.payload));
});
const workflows = { N, LATER } as const;

for (const server of SERVERS) {
  describe(`services by Fragno's names on ${server.name}`, () => {
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

    test("commands have a second name", async () => {
      const { engine, services } = scene.fragment;
      await engine.createInstance("later", { id: "named" });
      const status = (make: () => unknown): Promise<unknown> => call(make);
      expect(await status(() => services.pauseInstance("later", "named"))).toMatchObject({
        status: "paused",
      });
      expect(await status(() => services.resumeInstance("later", "named"))).toMatchObject({
        status: "queued",
      });
      expect(await status(() => services.terminateInstance("later", "named"))).toMatchObject({
        status: "terminated",
      });
      expect(
        await status(() => services.restartInstance("later", "named", { newKeys: true })),
      ).toEqual({ status: "queued", runNumber: 2 });
      expect(await codeOf(() => services.pauseInstance("later", "nobody"))).toBe(
        "INSTANCE_NOT_FOUND",
      );
    });

    test("an instance tells its params and its instants, in one trip", async () => {
      const { engine, services } = scene.fragment;
      const read = (): Promise<unknown> =>
        call(() => services.getInstanceMetadata("later", "meta"));
      await engine.createInstance("later", { id: "meta", params: 3, delay: "1 minute" });
      const now = await scene.clock.now();
      const instants = { createdAt: now, updatedAt: now, startedAt: null, completedAt: null };
      const [trips, before] = await scene.countTrips(read);
      expect(trips).toBe(1);
      expect(before).toEqual({ workflowName: "later", runNumber: 1, params: 3, ...instants });
      await scene.clock.advance(60_000);
      await engine.tick();
      expect(await read()).toMatchObject({ startedAt: now + 60_000, completedAt: null });
      await scene.clock.advance(HOUR_MS);
      await engine.tick();
      expect(await read()).toMatchObject({ completedAt: now + 60_000 + HOUR_MS });
      expect(await codeOf(() => services.getInstanceMetadata("later", "nobody"))).toBe(
        "INSTANCE_NOT_FOUND",
      );
    });

    test("a list goes through all instances once, from either end, and its cursor is the engine's", async () => {
      const { engine, services } = scene.fragment;
      const ids = Array.from({ length: 7 }, (_, index) => `list-${index}`);
      for (const id of ids) {
        await engine.createInstance("n", { id, params: { n: 1 } });
        if (id !== "list-3") await scene.clock.advance(1);
      }
      type Page = { instances: { id: string }[]; cursor?: string; hasNextPage: boolean };
      const walk = async (order: "asc" | "desc", status?: "queued"): Promise<readonly string[]> => {
        const seen: string[] = [];
        let cursor: { cursor?: string } = {};
        for (;;) {
          const asked = {
            workflowName: "n",
            pageSize: 2,
            order,
            ...cursor,
            ...(status && { status }),
          };
          const page = (await call(() => services.listInstances(asked))) as Page;
          seen.push(...page.instances.map(({ id }) => id));
          if (!page.hasNextPage || page.cursor === undefined) return seen;
          cursor = { cursor: page.cursor };
        }
      };
      const forwards = await walk("asc");
      expect(forwards.toSorted()).toEqual(ids);
      expect(await walk("desc")).toEqual(forwards.toReversed());
      expect(await walk("asc", "queued")).toEqual(forwards);
      const [trips, first] = await scene.countTrips(() =>
        call(() => services.listInstances({ workflowName: "n", pageSize: 3 })),
      );
      const { instances, cursor } = first as Page;
      expect(trips).toBe(1);
      expect(instances[0]).toEqual({
        id: "list-6",
        details: { status: "queued", runNumber: 1 },
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
      });
      const next = await engine.listInstances("n", { pageSize: 3, cursor: cursor as string });
      expect(next.instances.map(({ id }) => id)).toEqual(forwards.toReversed().slice(3, 6));
      const refuse = (asked: object): Promise<string> =>
        codeOf(() => services.listInstances({ workflowName: "n", ...asked }));
      expect(await refuse({ order: "up" })).toBe("INVALID_REQUEST");
      expect(await refuse({ status: "active" })).toBe("INVALID_REQUEST");
      expect(await refuse({ pageSize: 101 })).toBe("INVALID_REQUEST");
      expect(await refuse({ cursor: "nonsense" })).toBe("INVALID_CURSOR");
      expect(await refuse({ workflowName: "nobody" })).toBe("WORKFLOW_NOT_FOUND");
    });

    test("a list leaves long outputs out, and says how long they are", async () => {
      const { engine, services } = scene.fragment;
      await engine.createInstance("later", { id: "long", params: 20_000 });
      await engine.tick();
      await scene.clock.advance(HOUR_MS);
      await engine.tick();
      const list = (payloads?: "full"): Promise<unknown> =>
        call(() =>
          services.listInstances({
            workflowName: "later",
            pageSize: 1,
            ...(payloads && { payloads }),
          }),
        );
      expect(await list()).toMatchObject({
        instances: [{ id: "long", details: { omittedBytes: 20_002 } }],
      });
      expect(await list("full")).toMatchObject({
        instances: [{ details: { output: "x".repeat(20_000) } }],
      });
    });

    test("S6-022 restartOrCreateInstance creates with its params, restarts with the instance's own, and else leaves alone", async () => {
      const { engine, services } = scene.fragment;
      const ask = (params: unknown, precondition: object): Promise<unknown> =>
        call(() =>
          services.restartOrCreateInstance("n", {
            id: "over",
            create: { params },
            restart: { precondition: precondition as never },
          }),
        );
      const ended = { status: { in: ["complete"] } };
      const view = (runNumber: number): object => ({
        id: "over",
        details: { status: "queued", runNumber },
      });
      await expect(ask("no", ended)).rejects.toMatchObject({ code: "INVALID_PARAMS" });
      expect(await ask({ n: 1 }, ended)).toEqual({ action: "created", ...view(1) });
      expect(await ask({ n: 2 }, ended)).toEqual({
        action: "unchanged",
        observedStatus: "queued",
        ...view(1),
      });
      await engine.tick();
      const other = { ...ended, runNumber: { equals: 2 } };
      expect(await ask({ n: 2 }, other)).toMatchObject({ action: "unchanged" });
      expect(await ask("looked at by nobody", { ...ended, runNumber: { equals: 1 } })).toEqual({
        action: "restarted",
        previousStatus: "complete",
        ...view(2),
      });
      await engine.tick();
      expect((await engine.getInstance("n", "over")).details).toMatchObject({ output: 1 });
      const refuse = (input: object): Promise<string> =>
        codeOf(() => services.restartOrCreateInstance("n", { id: "over", ...input } as never));
      expect(await refuse({})).toBe("INVALID_REQUEST");
      expect(await refuse({ restart: { precondition: { status: { in: [] } } } })).toBe(
        "INVALID_REQUEST",
      );
      expect(await refuse({ restart: { precondition: { status: { in: ["active"] } } } })).toBe(
        "INVALID_REQUEST",
      );
      expect(
        await refuse({ restart: { precondition: { ...ended, runGeneration: { equals: 1 } } } }),
      ).toBe("UNKNOWN_OPTION");
    });

    test("S6-022 of restartOrCreateInstance at the same time one creates and the others leave alone", async () => {
      const { services } = scene.fragment;
      const input = {
        id: "race",
        create: { params: { n: 1 } },
        restart: { precondition: { status: { in: ["complete"] } } },
      } as const;
      const answers = (await Promise.all(
        [1, 2, 3].map(() => call(() => services.restartOrCreateInstance("n", input))),
      )) as { action: string }[];
      expect(answers.map(({ action }) => action).toSorted()).toEqual([
        "created",
        "unchanged",
        "unchanged",
      ]);
    });
  });
}
