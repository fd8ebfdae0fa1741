import { expect, test } from "vitest";
import { audit, type Evidence } from "./audit.ts";
import type { Order } from "./order.ts";
import type { Charge } from "./payment-ledger.ts";

const ORDER: Order = {
  id: "ORD-1",
  customer: "Ada Byrne",
  sku: "LAMP-ARC",
  quantity: 1,
  amountCents: 8995,
  currency: "EUR",
};
const CHARGE: Charge = {
  orderId: "ORD-1",
  amountCents: 8995,
  currency: "EUR",
  chargeId: "ch_1",
  idempotencyKey: "k-1",
};
const RECEIPT = { id: "ORD-1", amountCents: 8995, currency: "EUR", chargeId: "ch_1" };
const SHIPPED = { status: "complete", runNumber: 1, output: { outcome: "shipped" } } as const;
const FAILURE = { name: "E", message: "no", code: null, details: null, stack: null, cause: null };

interface Facts {
  readonly charges?: readonly Charge[];
  readonly receipts?: readonly (typeof RECEIPT)[];
  readonly instance?: Evidence["instances"] extends ReadonlyMap<string, infer T> ? T : never;
  readonly reservationCount?: number;
}

const judge = (facts: Facts): readonly string[] =>
  audit({
    orders: [ORDER],
    toInstanceId: ({ id }) => id,
    instances: new Map([["ORD-1", facts.instance ?? SHIPPED]]),
    ledger: {
      charges: facts.charges ?? [CHARGE],
      requestCount: 9,
      treatments: { prompt: 9, fail: 0, stall: 0, hangUp: 0, late: 0 },
    },
    receipts: new Map((facts.receipts ?? [RECEIPT]).map((receipt) => [receipt.id, receipt])),
    reservationCount: facts.reservationCount ?? 1,
  });

test("one charge of the amount, one receipt for it, complete: nothing is wrong", () => {
  expect(judge({})).toEqual([]);
});

test.each<[string, Facts, string[]]>([
  [
    "a second charge",
    { charges: [CHARGE, { ...CHARGE, idempotencyKey: "k-2", chargeId: "ch_2" }] },
    ["ORD-1: was charged 2 times"],
  ],
  [
    "no charge",
    { charges: [] },
    ["ORD-1: was charged 0 times", "ORD-1: its receipt is for another charge or amount"],
  ],
  [
    "another amount",
    { charges: [{ ...CHARGE, amountCents: 8996 }] },
    ["ORD-1: was charged 89.96 EUR instead of 89.95 EUR"],
  ],
  ["no receipt", { receipts: [] }, ["ORD-1: has no receipt"]],
  [
    "a receipt for another charge",
    { receipts: [{ ...RECEIPT, chargeId: "ch_9" }] },
    ["ORD-1: its receipt is for another charge or amount"],
  ],
  [
    "a receipt that nobody ordered",
    { receipts: [RECEIPT, { ...RECEIPT, id: "ORD-9" }] },
    ["ORD-9: has a receipt, was not ordered"],
  ],
  [
    "a charge that nobody ordered",
    { charges: [CHARGE, { ...CHARGE, orderId: "ORD-9" }] },
    ["ORD-9: charged, not ordered"],
  ],
  [
    "an instance that failed",
    { instance: { status: "errored", runNumber: 1, error: FAILURE } },
    ["ORD-1: is errored: no"],
  ],
  [
    "a cancelled order",
    { instance: { ...SHIPPED, output: { outcome: "cancelled", reason: "refused" } } },
    ["ORD-1: was cancelled: refused"],
  ],
  ["stock reserved twice", { reservationCount: 2 }, ["2 stock reservations for 1 orders"]],
])("%s is found", (_name, facts, problems) => {
  expect(judge(facts)).toEqual(problems);
});
