import { createHarness, type Harness } from "@escapement/engine/testing";
import { expect, test } from "vitest";
import type { Order } from "./order.ts";
import { defineOrderWorkflow, type OrderServices, type Receipt } from "./workflow.ts";

const SMALL: Order = {
  id: "ORD-1",
  customer: "Ada Byrne",
  sku: "LAMP-ARC",
  quantity: 1,
  amountCents: 8995,
  currency: "EUR",
};
const LARGE: Order = { ...SMALL, id: "ORD-2", quantity: 12, amountCents: 107_940 };

/** Services that remember what they were asked, by idempotency key, as real ones should. */
class RememberingServices implements OrderServices {
  readonly reserved = new Set<string>();
  readonly chargeKeys: string[] = [];
  readonly receipts = new Map<string, Receipt>();
  failures = 0;

  reserveStock: OrderServices["reserveStock"] = async (_order, { idempotencyKey }) => {
    this.reserved.add(idempotencyKey);
    return { reservationId: idempotencyKey };
  };
  releaseStock: OrderServices["releaseStock"] = async (reservationId) => {
    this.reserved.delete(reservationId);
  };
  charge: OrderServices["charge"] = async (_order, { idempotencyKey }) => {
    this.chargeKeys.push(idempotencyKey);
    if (this.chargeKeys.length <= this.failures) throw new Error("the service hung up");
    return { chargeId: "ch_1" };
  };
  writeReceipt: OrderServices["writeReceipt"] = async (receipt) => {
    this.receipts.set(receipt.order.id, receipt);
  };
}

interface Shop {
  readonly services: RememberingServices;
  readonly harness: Harness<{ ORDER: ReturnType<typeof defineOrderWorkflow> }>;
}

function openShop(): Shop {
  const services = new RememberingServices();
  return {
    services,
    harness: createHarness({ workflows: { ORDER: defineOrderWorkflow(services) } }),
  };
}

async function place({ harness }: Shop, order: Order): Promise<void> {
  await harness.workflows.ORDER.create({ id: order.id, params: order });
  await harness.runUntilIdle();
}

test("a small order is charged, packed and gets its receipt without asking anyone", async () => {
  const shop = openShop();
  await place(shop, SMALL);
  expect(await shop.harness.status("order", "ORD-1")).toMatchObject({ status: "waiting" });
  await shop.harness.runThroughTime();
  expect(await shop.harness.status("order", "ORD-1")).toMatchObject({
    status: "complete",
    output: { outcome: "shipped", chargeId: "ch_1" },
  });
  expect(shop.services.receipts.get("ORD-1")).toMatchObject({ order: SMALL, approvedBy: null });
  expect(shop.services.reserved.size).toBe(1);
});

test("a large order is not charged before it is approved", async () => {
  const shop = openShop();
  await place(shop, LARGE);
  expect(shop.services.chargeKeys).toEqual([]);
  const approval = { type: "approval", payload: { approved: true, by: "Noor" } };
  await shop.harness.sendEvent("order", "ORD-2", approval);
  await shop.harness.runThroughTime();
  expect(await shop.harness.status("order", "ORD-2")).toMatchObject({ status: "complete" });
  expect(shop.services.receipts.get("ORD-2")).toMatchObject({ approvedBy: "Noor" });
});

test("a refused order is not charged, and its stock is given back", async () => {
  const shop = openShop();
  await place(shop, LARGE);
  const refusal = { type: "approval", payload: { approved: false, by: "Noor" } };
  await shop.harness.sendEvent("order", "ORD-2", refusal);
  await shop.harness.runThroughTime();
  expect(await shop.harness.status("order", "ORD-2")).toMatchObject({
    output: { outcome: "cancelled", reason: "refused by Noor" },
  });
  expect(shop.services).toMatchObject({ chargeKeys: [], reserved: { size: 0 } });
});

test("an order that nobody approves in time is cancelled, and its stock is given back", async () => {
  const shop = openShop();
  await place(shop, LARGE);
  await shop.harness.clock.advance(29 * 60_000);
  await shop.harness.runUntilIdle();
  expect(await shop.harness.status("order", "ORD-2")).toMatchObject({ status: "waiting" });
  await shop.harness.runThroughTime();
  expect(await shop.harness.status("order", "ORD-2")).toMatchObject({
    status: "complete",
    output: { outcome: "cancelled", reason: "nobody approved it in time" },
  });
  expect(shop.services).toMatchObject({ chargeKeys: [], reserved: { size: 0 } });
});

test("an approval of the wrong shape is refused when it is sent", async () => {
  const shop = openShop();
  await place(shop, LARGE);
  const wrong = { type: "approval", payload: { approved: "yes" } };
  await expect(shop.harness.sendEvent("order", "ORD-2", wrong)).rejects.toMatchObject({
    code: "INVALID_EVENT_PAYLOAD",
  });
});

test("a payment service that fails is asked again, always under the same key", async () => {
  const shop = openShop();
  shop.services.failures = 3;
  await place(shop, SMALL);
  await shop.harness.runThroughTime();
  expect(await shop.harness.status("order", "ORD-1")).toMatchObject({ status: "complete" });
  expect(shop.services.chargeKeys).toHaveLength(4);
  expect(new Set(shop.services.chargeKeys).size).toBe(1);
});

test("a worker that dies while packing repeats nothing that was done", async () => {
  const shop = openShop();
  await place(shop, SMALL);
  shop.harness.restart();
  await shop.harness.runThroughTime();
  expect(await shop.harness.status("order", "ORD-1")).toMatchObject({ status: "complete" });
  expect(shop.services.chargeKeys).toHaveLength(1);
});
