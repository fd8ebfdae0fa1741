/** For the tests of step transactions: entries that steps write, by their keys. */
import type { StepTx } from "./step-tx.ts";
import { type Bench, bankSchema } from "./testing-step-tx.ts";

/** Writes an entry with the step. */
export const createEntry = (tx: StepTx, key: string, amount = 1): void =>
  tx.mutate(({ forSchema }) => void forSchema(bankSchema).create("entry", { key, amount }));

/** Keys of the entries that begin with the prefix, in order of creation. */
export async function keysOf(bench: Bench, prefix: string): Promise<unknown[]> {
  const rows = await bench.query(
    `select "key" from "entry_bank" where "key" like '${prefix}%' order by "_internalId"`,
  );
  return rows.map((row) => row["key"]);
}
