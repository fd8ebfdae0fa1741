/** A Postgres that is stopped and crashed while requests come in and two processes drive hooks and workflows. */
import { startPostgres } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { WorkerBundle } from "../worker/spawn-worker.ts";
import { FULFIL_STEPS } from "./order-workflows.ts";
import { placeOrder } from "./orders-fragment.ts";
import { bundleOrdersProcess, countShop, type ShopScene, withShop } from "./shop-scene.ts";

const ORDERS = 200;
/** Requests under way at the same time. */
const LANES = 8;

const closing: (() => unknown)[] = [];
let bundle: WorkerBundle;
beforeAll(async () => {
  bundle = await bundleOrdersProcess();
  closing.push(() => bundle.remove());
});
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

/** What the outside saw. */
interface Traffic {
  /** Orders that are known to be there. */
  accepted: number;
  /** Requests that were answered with an error of the server. */
  refused: number;
  /** The longest that a request took, in milliseconds. */
  longestMs: number;
}

/** Asks until the order is there: a request whose answer was lost may have been carried out. */
async function placeUntilThere({ app }: ShopScene, traffic: Traffic, id: string): Promise<void> {
  for (;;) {
    const startedAtMs = performance.now();
    const { status } = await placeOrder(app.orders, id);
    traffic.longestMs = Math.max(traffic.longestMs, performance.now() - startedAtMs);
    if (status === 200 || status === 409) break;
    expect(status).toBeGreaterThanOrEqual(500);
    traffic.refused += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  traffic.accepted += 1;
}

async function placeAll(scene: ShopScene, traffic: Traffic): Promise<void> {
  const ids = Array.from({ length: ORDERS }, (_item, index) => `order-${index}`).values();
  const lane = async (): Promise<void> => {
    for (const id of ids) await placeUntilThere(scene, traffic, id);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

it("S2-011 S2-038 a restart and a crash under load: requests and workflows go on, nothing is lost, nothing is there twice", async () => {
  const server = await startPostgres();
  closing.push(() => server.stop());
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note).on("uncaughtException", note);
  closing.push(() => process.off("unhandledRejection", note).off("uncaughtException", note));
  // Fragno prints whatever error it answers with.
  const printed = vi.spyOn(console, "error").mockReturnValue();
  closing.push(() => printed.mockRestore());
  const options = {
    url: server.url,
    workflow: "fulfil",
    leaseMs: 3000,
    hookMs: 5,
    bodyMs: 5,
  } as const;
  await withShop(bundle, options, async (scene) => {
    await Promise.all([scene.spawn(), scene.spawn()]);
    const traffic: Traffic = { accepted: 0, refused: 0, longestMs: 0 };
    const placing = placeAll(scene, traffic);
    for (const [signal, accepted] of [
      ["SIGINT", 50],
      ["SIGQUIT", 120],
    ] as const) {
      await expect
        .poll(() => traffic.accepted, { timeout: 20_000, interval: 2 })
        .toBeGreaterThan(accepted);
      await server.restart(signal);
    }
    await placing;
    await expect
      .poll(() => countShop(scene).catch(() => ({})), { timeout: 20_000, interval: 100 })
      .toEqual({
        orders: ORDERS,
        instances: ORDERS,
        complete: ORDERS,
        payments: ORDERS * FULFIL_STEPS.length,
        differentPayments: ORDERS * FULFIL_STEPS.length,
        hooks: ORDERS,
        hooksCompleted: ORDERS,
        wakes: ORDERS,
        wakesCompleted: ORDERS,
        hooksFailed: 0,
      });
    expect(traffic.refused, "the restarts came under load").toBeGreaterThan(0);
    expect(traffic.longestMs, "no request hangs").toBeLessThan(10_000);
    expect(
      (await scene.end()).map(({ code }) => code),
      "no process died",
    ).toEqual([0, 0]);
    const runs = scene.effects().filter(({ kind }) => kind === "hook.end");
    const keys = new Set(runs.map(({ orderId, key }) => `${orderId} ${key}`));
    expect(keys.size, "one key an order").toBe(ORDERS);
  });
  expect(unhandled).toEqual([]);
}, 60_000);
