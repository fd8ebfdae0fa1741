/** A Prisma client with one model. */
import type { CallersTransaction } from "@escapement/engine";

type Tx = CallersTransaction & {
  readonly orders: { create(row: object): Promise<unknown> };
};
export declare const prisma: { $transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> };
