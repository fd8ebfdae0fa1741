/** Receipt files: there whole, or not at all. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { toPrice } from "./order.ts";
import type { Receipt } from "./workflow.ts";

/** Writes `<order id>.json`: to a file beside it first, which then takes its name. Again gives the same file. */
export async function writeReceipt(folder: string, receipt: Receipt): Promise<void> {
  const { order, ...rest } = receipt;
  const text = JSON.stringify({ ...order, price: toPrice(order), ...rest }, null, 2);
  const path = join(folder, `${order.id}.json`);
  const draft = `${path}.${process.pid}.draft`;
  const file = await open(draft, "w");
  try {
    await file.writeFile(`${text}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

/** A receipt as it is found on disk. */
export interface FoundReceipt {
  readonly id: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly chargeId: string;
}

/** Receipts of a folder by order id; drafts of workers that were killed are left out. */
export function readReceipts(folder: string): ReadonlyMap<string, FoundReceipt> {
  mkdirSync(folder, { recursive: true });
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const receipts = names.map(
    (name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as FoundReceipt,
  );
  return new Map(receipts.map((receipt) => [receipt.id, receipt]));
}
