/** The stream of an instance, by the service in any transaction and by the fragment's routes, on real databases. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineWorkflow } from "../index.ts";
import { callService, openScene, type Scene } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";

const TELLS = defineWorkflow({ name: "tells" }, async (event, step) => {
  for (const text of event.payload as readonly string[])
    await step.progress(text === "large" ? "x".repeat(60_000) : text);
  await step.waitForEvent("end", { type: "end", timeout: "1 day" });
  await step.progress({ done: true });
});
const EMITS = defineWorkflow({ name: "emits" }, async (_event, step) => {
  await step.do("work", async (tx) => {
    await tx.emit("first");
    const { emit } = tx;
    await emit({ part: 2 });
  });
});
const workflows = { TELLS, EMITS } as const;

for (const server of SERVERS) {
  describe(`streams on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    beforeAll(async () => {
      scene = await openScene(server, { workflows });
    });
    afterAll(() => scene.close());

    const read = (id: string, options?: object): Promise<unknown> =>
      callService(scene.fragment, () => scene.fragment.services.readProgress("tells", id, options));
    const start = async (id: string, params: readonly string[]): Promise<void> => {
      await scene.fragment.workflows.TELLS.create({ id, params });
      await scene.fragment.engine.tick();
    };
    const end = async (id: string): Promise<void> => {
      await scene.fragment.engine.sendEvent("tells", id, { type: "end" });
      await scene.fragment.engine.tick();
    };

    test("S6-017 tx.emit is tx.progress under Fragno's name", async () => {
      await scene.fragment.workflows.EMITS.create({ id: "emits" });
      await scene.fragment.engine.tick();
      expect(
        await callService(scene.fragment, () =>
          scene.fragment.services.readProgress("emits", "emits", undefined),
        ),
      ).toMatchObject({
        entries: [
          { sequence: 1, value: "first" },
          { sequence: 2, value: { part: 2 } },
        ],
        ended: true,
      });
    });

    test("S6-017 the service reads what the engine does, in one trip, and refuses alike", async () => {
      const { engine } = scene.fragment;
      await start("one", ["a", "b", "c"]);
      const both = async (options: object): Promise<unknown> => {
        const byService = await read("one", options).catch((error: { code: string }) => error.code);
        const byEngine = await engine
          .readProgress("tells", "one", options)
          .catch((error: { code: string }) => error.code);
        expect(byService).toEqual(byEngine);
        return byService;
      };
      expect(await both({})).toMatchObject({
        entries: [{ sequence: 1, value: "a" }, { value: "b" }, { value: "c" }],
        cursor: 3,
        ended: false,
      });
      expect(await both({ after: 1, limit: 1 })).toMatchObject({ entries: [{ value: "b" }] });
      expect(await both({ after: 3 })).toMatchObject({ entries: [], cursor: 3, ended: false });
      const [trips] = await scene.countTrips(() => read("one"));
      expect(trips).toBe(1);
      await end("one");
      expect(await both({ after: 3 })).toMatchObject({
        entries: [{ sequence: 4, value: { done: true } }],
        ended: true,
      });
      expect(await both({ after: 3, limit: 1 })).toMatchObject({ ended: true });
      expect(await both({ after: 2, limit: 1 })).toMatchObject({ ended: false });
      for (const options of [{ after: -1 }, { limit: 0 }, { limit: 1001 }, { after: 2 ** 31 }])
        expect(await both(options)).toBe("INVALID_REQUEST");
      expect(await both({ colour: "red" })).toBe("UNKNOWN_OPTION");
      await expect(read("nobody")).rejects.toMatchObject({ code: "INSTANCE_NOT_FOUND" });
      await expect(read("one", { waitMs: 5 })).rejects.toMatchObject({ code: "UNKNOWN_OPTION" });
    });

    test("S6-017 a page has a MiB of values at most, of the service as of the engine", async () => {
      await start(
        "large",
        Array.from({ length: 40 }, () => "large"),
      );
      const { entries } = (await read("large")) as { readonly entries: readonly unknown[] };
      expect(entries).toHaveLength(17);
      const page = await scene.fragment.engine.readProgress("tells", "large");
      expect(page.entries).toHaveLength(17);
    });

    test("S6-017 the fragment's route streams lines and events, and refuses as the engine's does", async () => {
      await start("http", ["a", "b"]);
      await end("http");
      const get = (path: string, headers: Record<string, string>): Promise<Response> =>
        scene.fragment.handler(
          new Request(`http://app/api/workflows/workflows/tells/instances/${path}`, { headers }),
        );
      const lines = await get("http/stream?after=1&limit=1", { accept: "application/x-ndjson" });
      const texts = (await lines.text()).trim().split("\n");
      expect(texts.map((text) => JSON.parse(text) as unknown)).toMatchObject([
        { sequence: 2, value: "b" },
        { sequence: 3, value: { done: true } },
        { cursor: 3, ended: true },
      ]);
      const events = { accept: "text/event-stream", "last-event-id": "2" };
      expect(await (await get("http/stream", events)).text()).toMatch(
        /id: 3\ndata: .*\n\nevent: end\n/u,
      );
      expect((await get("http/stream", { ...events, "last-event-id": "3" })).status).toBe(204);
      expect((await get("nobody/stream", events)).status).toBe(404);
      expect((await get("http/stream?after=-1", events)).status).toBe(400);
    });
  });
}
