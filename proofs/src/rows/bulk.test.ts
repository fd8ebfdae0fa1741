/** A bulk job on each store, whose process dies in the middle: it does to each once what was asked. */
import { defineWorkflow } from "@escapement/engine";
import { createHarness } from "@escapement/engine/testing";
import { describe, expect, it } from "vitest";
import { createFakeTime } from "../../../packages/engine/src/testing/fake-time.ts";
import { createFaultStore } from "../../../packages/engine/src/testing/fault-store.ts";
import { PLAY_STORES } from "../programs/play-stores.ts";

const ORDERS = 45;
/** Calls of the job before its process dies. */
const CALLS = [2, 4, 6];

describe.each([...PLAY_STORES])("bulk jobs on $name", ({ isAvailable, start }) => {
  it.skipIf(!isAvailable)(
    "S8-004 retries what a deploy broke, each once, though the process of the job dies",
    async () => {
      const stores = await start();
      try {
        for (const killAt of CALLS) {
          let [isBroken, isCounting, calls] = [true, false, 0];
          let die = (): void => {};
          const died = new Promise<void>((resolve) => (die = resolve));
          const charged = new Set<string>();
          const order = defineWorkflow(
            { name: "order", retries: { limit: 1, delay: 0 } },
            ({ instanceId }, step) =>
              step.do("charge", () => {
                if (isBroken && instanceId.startsWith("b")) throw new RangeError("no");
                charged.add(instanceId);
              }),
          );
          const opened = await stores.open(createFakeTime());
          const store = createFaultStore(opened.store, ({ verb }) => {
            if (!isCounting || verb === "claim") return "none";
            calls += 1;
            if (calls !== killAt) return "none";
            harness.restart();
            die();
            return "before";
          });
          const harness = createHarness({
            workflows: { order },
            bulk: true,
            store: { store, clock: opened.clock },
          });
          for (const prefix of ["b", "g"]) {
            const orders = Array.from({ length: ORDERS }, (_, n) => ({ id: `${prefix}${n}` }));
            await harness.workflows.order.createBatch(orders);
          }
          await harness.runUntilIdle();
          isBroken = false;
          const asked = { act: "retry", workflows: ["order"], status: ["errored"] } as const;
          expect(await harness.engine.previewBulk(asked)).toMatchObject({ count: ORDERS });
          const { id } = await harness.engine.startBulk(asked);
          isCounting = true;
          await Promise.race([harness.runUntilIdle(), died]);
          expect(calls).toBeGreaterThanOrEqual(killAt);
          await harness.runThroughTime(3_600_000);
          const { status, progress } = await harness.engine.getBulk(id);
          expect(status).toBe("complete");
          expect(progress).toMatchObject({ total: ORDERS, done: ORDERS, refused: 0, left: 0 });
          const { counts } = await harness.engine.countInstances({
            workflows: ["order"],
            status: ["complete"],
          });
          expect(counts).toMatchObject([{ count: 2 * ORDERS }]);
          expect(charged.size).toBe(2 * ORDERS);
          for (let n = 0; n < ORDERS; n += 1)
            expect((await harness.status("order", `b${n}`)).runNumber).toBe(1);
        }
      } finally {
        await stores.remove();
      }
    },
    240_000,
  );
});
