/** Steps on which code and history disagree, in the fragment's services and routes. */
import { safeParse } from "valibot";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTE_REFERENCE } from "@escapement/engine/internal";
import { defineWorkflow } from "./authoring.ts";
import { openScene, type Scene } from "./testing-scene.ts";
import { runUntilIdle, SERVERS } from "./testing-step-tx.ts";

let isUpgraded = false;
const workflows = {
  ORDER: defineWorkflow({ name: "order" }, async (_event, step) => {
    const look = step.waitForEvent("look", { type: "look" });
    if (!isUpgraded) void step.waitForEvent("approval", { type: "approve" });
    await step.waitForEvent("payment", { type: isUpgraded ? "paid" : "payed" });
    await look;
  }),
} as const;

const DIVERGED = [
  { kind: "eventTypeChanged", stepKey: "payment", recorded: "payed", called: "paid" },
  { kind: "notCalled", stepKey: "approval", recorded: "approve", called: null },
];
const BY_KIND = expect.arrayContaining(DIVERGED) as unknown;

for (const server of SERVERS) {
  describe(`a deploy that changes waits, on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    beforeAll(async () => {
      scene = await openScene(server, { workflows });
      isUpgraded = false;
      await scene.fragment.engine.createInstance("order", { id: "a" });
      await runUntilIdle(scene.fragment.engine);
      isUpgraded = true;
      await scene.fragment.engine.sendEvent("order", "a", { type: "look" });
      await runUntilIdle(scene.fragment.engine);
    });
    afterAll(() => scene.close());

    const status = (): Promise<unknown> =>
      scene.fragment.inContext(async function () {
        const [details] = await this.handlerTx()
          .withServiceCalls(
            () => [scene.fragment.services.getInstanceStatus("order", "a")] as const,
          )
          .execute();
        return details;
      });

    test("S5-024 the status service names its waits, in its one trip", async () => {
      const [trips, details] = await scene.countTrips(status);
      expect(details).toEqual({ status: "waiting", runNumber: 1, diverged: BY_KIND });
      expect(trips).toBe(1);
    });

    test("S5-024 the route of the instance names them, in its one trip and in the shape that it declares", async () => {
      const path = "http://app/api/workflows/workflows/order/instances/a";
      const [trips, response] = await scene.countTrips(() =>
        scene.fragment.handler(new Request(path)),
      );
      const body: unknown = await response.json();
      expect(body).toEqual({
        id: "a",
        details: { status: "waiting", runNumber: 1, diverged: BY_KIND },
      });
      expect(safeParse(ROUTE_REFERENCE.getInstance.output, body).issues ?? []).toEqual([]);
      expect(trips).toBe(1);
    });
  });
}
