/** Repeated requests to the fragment's services and routes. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineWorkflow } from "./authoring.ts";
import { openScene, type Scene } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";

const workflows = {
  ORDER: defineWorkflow({ name: "order" }, async (_event, step) => {
    await step.waitForEvent("payment", { type: "paid", timeout: "1 hour" });
  }),
} as const;

const limits = { maxUndeliveredEvents: 3, maxUndeliveredEventBytes: 100 };
const PATH = "http://app/api/workflows/workflows/order/instances";

for (const server of SERVERS) {
  describe(`repeats on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    beforeAll(async () => {
      scene = await openScene(server, { workflows, limits, http: { open: true } } as never);
    });
    afterAll(() => scene.close());

    const post = async (
      path: string,
      body: unknown,
      key?: string,
    ): Promise<{ readonly status: number; readonly body: unknown }> => {
      const headers = {
        "content-type": "application/json",
        ...(key === undefined ? {} : { "idempotency-key": key }),
      };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      const answer = await scene.fragment.handler(new Request(`${PATH}${path}`, init));
      return { status: answer.status, body: await answer.json() };
    };

    test("S5-023 a create and a batch under one key are done once", async () => {
      const first = await post("", { params: { n: 1 } }, "k");
      expect(first.status).toBe(200);
      expect(await post("", { params: { n: 1 } }, "k")).toEqual(first);
      expect(await post("", { params: { n: 2 } }, "k")).toMatchObject({
        status: 409,
        body: { code: "IDEMPOTENCY_KEY_CONFLICT" },
      });
      const instances = [{ id: "b-1" }, { id: "b-2" }];
      const batch = await post("/batch", { instances }, "b");
      expect(batch.body).toMatchObject({ instances: [{ id: "b-1" }, { id: "b-2" }], skipped: [] });
      expect(await post("/batch", { instances }, "b")).toEqual(batch);
      expect((await post("/batch", { instances })).body).toMatchObject({ skipped: ["b-1", "b-2"] });
    });

    test("S5-023 an event under one key is stored once, another under it is refused", async () => {
      await post("", { id: "e" });
      const send = (payload: number) => post("/e/events", { type: "paid", payload }, "key");
      const first = await send(1);
      expect(first.status).toBe(200);
      expect(await send(1)).toEqual(first);
      expect(await send(2)).toMatchObject({ status: 409, body: { code: "EVENT_ID_CONFLICT" } });
      const stored = await scene.query(
        `select "eventId", "sizeBytes" from "workflow_event_workflows" where "instanceId" = 'e'`,
      );
      expect(stored).toEqual([{ eventId: "key", sizeBytes: 1 }]);
    });

    test("S5-023 a restart under one key, and commands for another run", async () => {
      await post("", { id: "r" });
      for (let count = 0; count < 2; count += 1)
        expect(await post("/r/restart", null, "key")).toMatchObject({
          status: 200,
          body: { details: { runNumber: 2 } },
        });
      expect(await post("/r/terminate?ifRunNumber=1", null)).toMatchObject({
        status: 409,
        body: { code: "RUN_NUMBER_MISMATCH" },
      });
      expect((await post("/r/terminate?ifRunNumber=2", null)).status).toBe(200);
    });

    test("S5-013 a run holds no more events, and bytes of them, than its cap", async () => {
      await post("", { id: "c" });
      await post("", { id: "d" });
      const full = { status: 429, body: { code: "EVENT_LIMIT" } };
      for (let count = 0; count < 3; count += 1)
        expect((await post("/c/events", { type: "paid" })).status).toBe(200);
      expect(await post("/c/events", { type: "paid" })).toMatchObject(full);
      expect((await post("/d/events", { type: "paid", payload: "x".repeat(80) })).status).toBe(200);
      expect(await post("/d/events", { type: "paid", payload: "x".repeat(80) })).toMatchObject(
        full,
      );
    });
  });
}
