/** A Kysely database with one table. */
import type { CallersTransaction } from "@escapement/engine";

type Trx = CallersTransaction & {
  insertInto(table: string): { values(row: object): { execute(): Promise<unknown> } };
};
export declare const db: {
  transaction(): { execute<T>(work: (trx: Trx) => Promise<T>): Promise<T> };
};
