/** Recognises the client of a transaction by properties that only this client has. */
import type { Dialect } from "../../dialect/dialect.ts";
import { openDrizzle } from "./drizzle.ts";
import { openKysely } from "./kysely.ts";
import { openPg } from "./pg.ts";
import { openPrisma } from "./prisma.ts";
import type { Opening } from "./opening.ts";
import type { Runner } from "./runner.ts";
import { openSqliteConnection } from "./sqlite-connection.ts";
import { unusable } from "./transaction-errors.ts";

// Clients with distinctive names first: a client of `pg` has few distinctive properties.
const OPENINGS: readonly Opening[] = [
  openPrisma,
  openKysely,
  openDrizzle,
  openSqliteConnection,
  openPg,
];

/** @throws {DatabaseError} TRANSACTION_UNUSABLE */
export function openRunner(transaction: object, dialect: Dialect["name"]): Runner {
  for (const open of OPENINGS) {
    // Callers without types may give nothing.
    const opened = (transaction as object | null | undefined) ? open(transaction) : null;
    if (opened === null) continue;
    if (opened.dialect === null || opened.dialect === dialect) return opened.runner(dialect);
    throw unusable(
      `the transaction is one of ${opened.dialect}, and the engine's store is on ${dialect}`,
    );
  }
  throw unusable(
    "expected a transaction of pg, Drizzle, Kysely, Prisma, better-sqlite3 or node:sqlite",
  );
}
