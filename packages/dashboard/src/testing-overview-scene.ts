/** An engine with much to see at once: ends over time, leases, and callbacks. */
import { defineWorkflow, type Engine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createHarness } from "@escapement/engine/testing";

const MINUTE_MS = 60_000;
/** The width of a bar in the charts of an hour. */
const BAR_MS = 2 * MINUTE_MS;

/** The number of open callbacks: more than fit on a page. */
export const CALLBACKS = 53;

const ORDER = defineWorkflow(
  { name: "order", retries: { limit: 0, delay: 0 } },
  async ({ payload }, step) => {
    await step.do("pay", () => {
      if (payload === "fail") throw new RangeError("no card");
    });
  },
);
const CHECK = defineWorkflow({ name: "check" }, async (_event, step) =>
  (await step.callback("ask bureau")).payload(),
);
const NAP = defineWorkflow({ name: "nap" }, async (_event, step) => {
  await step.sleep("rest", "2 minutes");
});
const REPORT = defineWorkflow({ name: "report" }, async (_event, step) => {
  await step.do("gather", () => undefined);
});

/** Some orders an hour ago and some now, one of them due; a sleep that ended late; three reports that are held, one by a dead process. */
export async function openOverviewScene(): Promise<Engine> {
  // Time stands still in the middle of a bar until the scene is set, so that 4 s take exactly 4 s, all within that bar.
  const setAt = Math.floor(Date.now() / BAR_MS) * BAR_MS - BAR_MS / 2;
  const time = { behindMs: 50 * MINUTE_MS, isStill: true };
  const now = (): number => (time.isStill ? setAt : Date.now()) - time.behindMs;
  const store = createMemoryStore({ now });
  const { engine, workflows, runUntilIdle } = createHarness({
    workflows: { ORDER, CHECK, NAP, REPORT },
    callbacks: {
      signingKeys: ["a-key-of-the-scene-of-more-than-32-characters"],
      url: "https://shop.example/api/workflows",
    },
    store: { store, clock: { now, advance: () => undefined } },
  });
  for (const params of ["ok", "ok", "fail"]) await workflows.ORDER.create({ params });
  time.behindMs -= 4000;
  await runUntilIdle();
  time.behindMs = 40 * MINUTE_MS;
  await workflows.NAP.create();
  await runUntilIdle();
  time.behindMs -= 2 * MINUTE_MS + 7000;
  await runUntilIdle();
  time.behindMs = 6 * MINUTE_MS;
  for (let number = 1; number <= CALLBACKS; number += 1)
    await workflows.CHECK.create({ id: `check-${number}` });
  await runUntilIdle();
  time.behindMs = MINUTE_MS;
  for (const number of [1, 2, 3]) await workflows.REPORT.create({ id: `report-${number}` });
  const claim = { limit: 1, workflowNames: ["report"] };
  await store.claim({ ...claim, token: "web-2~b1~1", leaseMs: 30_000 });
  await store.claim({ ...claim, limit: 2, token: "x91@batch-7", leaseMs: 600_000 });
  time.behindMs = 0;
  await workflows.ORDER.create({ id: "order-due", params: "ok" });
  time.isStill = false;
  return engine;
}
