import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLedger } from "./payment-ledger.ts";
import { openStockRoom } from "./stock.ts";

const REQUEST = { orderId: "ORD-1", amountCents: 8995, currency: "EUR" } as const;

let directory: ReturnType<typeof temporaryDirectory>;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, "file.jsonl");
});
afterEach(() => directory.remove());

test("a key pays once, however often and by whatever process it is sent", () => {
  const first = openLedger(path);
  first.countRequest("k-1", "hangUp");
  const charge = first.charge("k-1", REQUEST);
  expect(first.charge("k-1", REQUEST)).toEqual(charge);
  const second = openLedger(path);
  second.countRequest("k-1", "prompt");
  expect(second.charge("k-1", REQUEST)).toEqual(charge);
  expect(second.view()).toMatchObject({
    charges: [{ orderId: "ORD-1", amountCents: 8995 }],
    requestCount: 2,
    treatments: { hangUp: 1, prompt: 1 },
  });
});

test("another key is another charge, and a key that pays for something else is refused", () => {
  const ledger = openLedger(path);
  ledger.charge("k-1", REQUEST);
  expect(ledger.charge("k-1", { ...REQUEST, amountCents: 1 })).toBeNull();
  ledger.charge("k-2", REQUEST);
  expect(ledger.chargeCount).toBe(2);
});

test("a line that a kill cut off is dropped, and what comes next stands on its own", () => {
  openLedger(path).charge("k-1", REQUEST);
  appendFileSync(path, '{"kind":"charge","cha');
  openLedger(path).charge("k-2", REQUEST);
  expect(openLedger(path).chargeCount).toBe(2);
  expect(readFileSync(path, "utf8").split("\n")).toHaveLength(3);
});

test("stock is reserved once per key, and given back once", () => {
  const stock = openStockRoom(path);
  const order = { sku: "LAMP-ARC", quantity: 9000 };
  stock.reserve("r-1", order);
  stock.reserve("r-1", order);
  expect(openStockRoom(path).count).toBe(1);
  expect(() => stock.reserve("r-2", order)).toThrow("only 1000 of LAMP-ARC are left");
  stock.release("r-1");
  stock.release("r-1");
  stock.reserve("r-2", order);
  expect(openStockRoom(path).count).toBe(1);
});
