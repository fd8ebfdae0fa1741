/** A server that is stopped and crashed while requests come in and two processes drive hooks and workflows. */
import { sqldAvailable, startPostgres } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startPatientSqld } from "../subjects/test-database.ts";
import type { WorkerBundle } from "../worker/spawn-worker.ts";
import { FULFIL_STEPS } from "./order-workflows.ts";
import { placeOrder } from "./orders-fragment.ts";
import { bundleOrdersProcess, countShop, type ShopScene, withShop } from "./shop-scene.ts";

/** Requests under way at the same time. */
const LANES = 8;

/** A server of its own and its two restarts. */
interface Subject {
  readonly name: string;
  /** At least so many; the load ends when the last restart has. */
  readonly orderCount: number;
  open(): Promise<{
    readonly url: string;
    readonly restarts: readonly [() => Promise<void>, () => Promise<void>];
    stop(): Promise<void>;
  }>;
}

const SUBJECTS: readonly Subject[] = [
  {
    name: "Postgres, pg_ctl fast, immediate",
    orderCount: 200,
    async open() {
      const server = await startPostgres();
      const restart = (mode: "fast" | "immediate") => () => server.pgCtlRestart(mode);
      return {
        url: server.url,
        restarts: [restart("fast"), restart("immediate")],
        stop: () => server.stop(),
      };
    },
  },
  {
    // It has no tool to restart it, and is killed.
    name: "sqld, killed twice",
    orderCount: 60,
    async open() {
      const server = await startPatientSqld();
      const restart = (): Promise<void> => server.restart();
      return { url: server.url, restarts: [restart, restart], stop: () => server.stop() };
    },
  },
];

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
  /** Requests that wait for their answer. */
  underWay: number;
  /** The longest that a request took, in milliseconds. */
  longestMs: number;
}

/** Asks until the order is there: a request whose answer was lost may have been carried out. */
async function placeUntilThere({ app }: ShopScene, traffic: Traffic, id: string): Promise<void> {
  for (;;) {
    const startedAtMs = performance.now();
    traffic.underWay += 1;
    const { status } = await placeOrder(app.orders, id);
    traffic.underWay -= 1;
    traffic.longestMs = Math.max(traffic.longestMs, performance.now() - startedAtMs);
    if (status === 200 || status === 409) break;
    expect(status).toBeGreaterThanOrEqual(500);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  traffic.accepted += 1;
}

/** Places orders for as long as somebody asks for more. @returns how many there are then */
async function placeWhile(
  asksForMore: () => boolean,
  scene: ShopScene,
  traffic: Traffic,
): Promise<number> {
  let count = 0;
  const lane = async (): Promise<void> => {
    while (asksForMore()) await placeUntilThere(scene, traffic, `order-${count++}`);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return count;
}

const subjects = SUBJECTS.filter(({ name }) => sqldAvailable() || !name.startsWith("sqld"));

it.each(subjects)(
  "S2-011 S2-038 two restarts under load: requests and workflows go on, nothing is lost, nothing is there twice: $name",
  async ({ orderCount, open }) => {
    const server = await open();
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
      const traffic: Traffic = { accepted: 0, underWay: 0, longestMs: 0 };
      let restartsLeft = server.restarts.length;
      const placing = placeWhile(
        () => restartsLeft > 0 || traffic.accepted < orderCount,
        scene,
        traffic,
      );
      for (const [restart, accepted] of [
        [server.restarts[0], orderCount / 4],
        [server.restarts[1], orderCount / 2],
      ] as const) {
        await expect
          .poll(() => traffic.accepted, { timeout: 60_000, interval: 2 })
          .toBeGreaterThan(accepted);
        expect(traffic.underWay, "the restart comes under load").toBeGreaterThan(0);
        await restart();
        restartsLeft -= 1;
      }
      const orders = await placing;
      await expect
        .poll(() => countShop(scene).catch(() => ({})), { timeout: 60_000, interval: 100 })
        .toEqual({
          orders,
          instances: orders,
          complete: orders,
          payments: orders * FULFIL_STEPS.length,
          differentPayments: orders * FULFIL_STEPS.length,
          hooks: orders,
          hooksCompleted: orders,
          wakes: orders,
          wakesCompleted: orders,
          hooksFailed: 0,
        });
      expect(traffic.longestMs, "no request hangs").toBeLessThan(60_000);
      expect(
        (await scene.end()).map(({ code }) => code),
        "no process died",
      ).toEqual([0, 0]);
      const runs = scene.effects().filter(({ kind }) => kind === "hook.end");
      const keys = new Set(runs.map(({ orderId, key }) => `${orderId} ${key}`));
      expect(keys.size, "one key an order").toBe(orders);
    });
    expect(unhandled).toEqual([]);
  },
  240_000,
);
