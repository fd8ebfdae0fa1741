/** Three processes drive the orders; the clocks of two are an hour wrong. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StepView } from "../../../packages/engine/src/ports/instance-views.ts";
import { POSTGRES, SQLD } from "../subjects/test-database.ts";
import type { WorkerBundle } from "../worker/spawn-worker.ts";
import { hourWrongClocks } from "../worker/wrong-clock.ts";
import { PATIENCE_MS, PATIENT_ORDER } from "./order-workflows.ts";
import { placeOrder } from "./orders-fragment.ts";
import type { OrderEffect } from "./orders-job.ts";
import { bundleOrdersProcess, countShop, type ShopScene, withShop } from "./shop-scene.ts";

/** More than two of the three processes can hold at once, at 8 each. */
const ORDERS = 18;
const LEASE_MS = 3000;
/** Longer than a lease, so that whoever runs it must renew in time. */
const LONG_MS = 4000;
/** How late a busy machine may be; a wrong clock would be an hour late. */
const LATE_MS = 600_000;
const orderIds = Array.from({ length: ORDERS }, (_item, index) => `order-${index}`);

const clocks = hourWrongClocks();

// Not embedded libSQL: there the database's clock is that of the process which asks. See docs/guides/fragno.md.
const SUBJECTS = [POSTGRES, SQLD].filter(({ isAvailable }) => isAvailable);

let bundle: WorkerBundle;
beforeAll(async () => {
  bundle = await bundleOrdersProcess();
});
afterAll(() => bundle.remove());

const workDone = ({ effects }: ShopScene): readonly OrderEffect[] =>
  effects().filter(({ kind }) => kind !== "ready");

/** What one order's workflow and hook did, by their keys. */
interface OrderStory {
  readonly steps: Readonly<Record<string, StepView>>;
  readonly effects: readonly OrderEffect[];
}

async function loadStory({ app, effects }: ShopScene, orderId: string): Promise<OrderStory> {
  const { steps } = await app.workflows.engine.listHistory(PATIENT_ORDER, orderId, {});
  return {
    steps: Object.fromEntries(steps.map((step) => [step.stepKey, step])),
    effects: effects().filter((effect) => effect.orderId === orderId),
  };
}

/** Instants at which a step's body or the hook began, by the database's clock. */
const startsOf = (
  { effects }: OrderStory,
  kind: OrderEffect["kind"],
  key?: string,
): readonly number[] =>
  effects
    .filter((effect) => effect.kind === kind && (key ?? effect.key) === effect.key)
    .map(({ atMs }) => atMs);

function expectSoonAfter(atMs: number | undefined, dueAtMs: number, what: string): void {
  expect(atMs, `${what}: not early`).toBeGreaterThanOrEqual(dueAtMs);
  expect(atMs, `${what}: not late`).toBeLessThan(dueAtMs + LATE_MS);
}

function expectDatabaseTime(story: OrderStory): void {
  const { nap, wish, ["second-time"]: retried, long } = story.steps;
  expect(nap?.wakeAt).toBe((nap?.createdAt ?? 0) + PATIENCE_MS);
  expectSoonAfter(startsOf(story, "step.start", "rise")[0], nap?.wakeAt ?? Infinity, "nap");
  expect(wish).toMatchObject({ status: "errored" });
  expectSoonAfter(wish?.updatedAt, wish?.wakeAt ?? Infinity, "time-out");
  const [first = Infinity, second, ...more] = startsOf(story, "step.start", "second-time");
  expectSoonAfter(second, first + PATIENCE_MS, "retry");
  expect(more).toEqual([]);
  expect(retried).toMatchObject({ attempts: 2, lostAttempts: 0 });
  expect(startsOf(story, "step.start", "long"), "the long body ran once").toHaveLength(1);
  expect(long).toMatchObject({ status: "completed", attempts: 1, lostAttempts: 0 });
}

/** It failed once and was retried by the database's clock; then it ran for longer than its lease, alone. */
function expectHookOnTime(story: OrderStory): void {
  const [first = Infinity, second, ...more] = startsOf(story, "hook.start");
  expectSoonAfter(second, first + 100, "the hook's retry");
  expect(more, "no lease of a hook was lost").toEqual([]);
  const keys = story.effects.filter(({ kind }) => kind.startsWith("hook")).map(({ key }) => key);
  expect(new Set(keys).size).toBe(1);
}

describe.skipIf(clocks === null)("wrong clocks", () => {
  it.each(SUBJECTS)(
    "S2-009 S2-033 S2-045 processes an hour ahead and an hour behind: no early wake, no late time-out, no lost lease, on $name",
    async ({ open }) => {
      const { url, remove } = await open();
      const options = {
        url,
        workflow: "patient",
        leaseMs: LEASE_MS,
        hookMs: LONG_MS,
        bodyMs: LONG_MS,
      } as const;
      await withShop(bundle, options, async (scene) => {
        await Promise.all([{}, ...(clocks ?? [])].map((env) => scene.spawn(env)));
        const answers = await Promise.all(orderIds.map((id) => placeOrder(scene.app.orders, id)));
        expect(answers.map(({ status }) => status)).toEqual(orderIds.map(() => 200));
        await expect
          .poll(() => countShop(scene), { timeout: 60_000, interval: 100 })
          .toMatchObject({ complete: ORDERS, hooksCompleted: ORDERS, hooksFailed: 0 });
        expect(await scene.end()).toEqual(scene.workers.map(() => ({ code: 0, errors: "" })));
        expect(new Set(workDone(scene).map(({ pid }) => pid)).size, "all three worked").toBe(3);
        for (const orderId of orderIds) {
          const story = await loadStory(scene, orderId);
          expectDatabaseTime(story);
          expectHookOnTime(story);
        }
      });
      await remove();
    },
    240_000,
  );
});
