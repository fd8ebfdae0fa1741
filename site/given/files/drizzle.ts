/** A Drizzle database with one table. */
import type { CallersTransaction } from "@escapement/engine";

type Tx = CallersTransaction & {
  insert(table: object): { values(row: object): Promise<unknown> };
};
export declare const orders: object;
export declare const db: { transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> };
