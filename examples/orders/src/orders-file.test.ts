import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterAll, expect, test } from "vitest";
import { isLarge } from "./order.ts";
import { readOrders } from "./orders-file.ts";

const HEADER = "id,customer,sku,quantity,amount,currency";
const GOOD = "ORD-1,Ada Byrne,LAMP-ARC,1,89.95,EUR";

const folder = temporaryDirectory();
afterAll(() => folder.remove());

function fileOf(...lines: readonly string[]): string {
  const { path } = temporaryDirectory();
  writeFileSync(join(path, "orders.csv"), lines.join("\n"));
  return join(path, "orders.csv");
}

test("the file that ships has 200 orders, 24 of them large", () => {
  const orders = readOrders(fileURLToPath(new URL("../orders.csv", import.meta.url)));
  expect(orders).toHaveLength(200);
  expect(orders.filter(isLarge)).toHaveLength(24);
  expect(new Set(orders.map(({ id }) => id)).size).toBe(200);
});

test("amounts are read to the cent; quotes, accents, blank lines and a byte order mark do no harm", () => {
  const tricky = `ORD-2,"The ""Corner"" Shop, Köln",MAT-ANTI,3,1127.10,GBP`;
  expect(readOrders(fileOf(`\uFEFF${HEADER}`, GOOD, "", tricky, ""))).toEqual([
    {
      id: "ORD-1",
      customer: "Ada Byrne",
      sku: "LAMP-ARC",
      quantity: 1,
      amountCents: 8995,
      currency: "EUR",
    },
    {
      id: "ORD-2",
      customer: 'The "Corner" Shop, Köln',
      sku: "MAT-ANTI",
      quantity: 3,
      amountCents: 112_710,
      currency: "GBP",
    },
  ]);
});

test("every wrong line is named with what is wrong with it", () => {
  const path = fileOf(
    HEADER,
    GOOD,
    "ORD 2,Ada,LAMP-ARC,1,89.95,EUR",
    "ORD-3,,LAMP-ARC,0,89.9,YEN",
    "ORD-1,Ada,LAMP-ARC,1,89.95,EUR",
  );
  expect(() => readOrders(path)).toThrow(
    expect.objectContaining({
      name: "DemoError",
      message: `${path} has mistakes; nothing was started:
  line 3: id "ORD 2" is not 1 to 60 letters, digits, - or _
  line 4: customer "" is empty
  line 4: quantity 0 is below 1
  line 4: amount "89.9" is not an amount such as 129.00
  line 4: currency "YEN" is not EUR, USD or GBP
  line 5: id "ORD-1" is on line 2 already`,
    }),
  );
});

test.each([
  ["a missing file", () => "nowhere.csv", "there is no such file"],
  ["a directory", () => folder.path, "it is a directory"],
  ["an empty file", () => fileOf(""), "has no orders"],
  ["a header alone", () => fileOf(HEADER), "has no orders"],
  ["a missing column", () => fileOf("id,customer", "1,Ada"), "lacks the columns sku, quantity"],
  ["a line with too few fields", () => fileOf(HEADER, "ORD-1,Ada"), "line 2"],
  ["an open quote", () => fileOf(HEADER, '"ORD-1,Ada'), "not a CSV file"],
  ["what is no text", () => fileOf("\u0000\u0001\u0002"), "lacks the columns"],
])("%s is told in words", (_name, path, words) => {
  expect(() => readOrders(path())).toThrow(
    expect.objectContaining({ name: "DemoError", message: expect.stringContaining(words) }),
  );
});
