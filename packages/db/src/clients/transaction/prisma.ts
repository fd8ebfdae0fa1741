/** The client that Prisma's `$transaction` passes to its callback. */
import { hasMethod, type Opening } from "./opening.ts";
import { postgresRunner } from "./postgres.ts";
import { sqliteRunner } from "./sqlite.ts";
import { unusable } from "./transaction-errors.ts";

// https://www.prisma.io/docs/orm/prisma-client/using-raw-sql/raw-queries (read 2026-11). Statements with rows and statements
// without rows use different methods, because SQLite's drivers distinguish them.
export const openPrisma: Opening = (transaction) => {
  if (!hasMethod(transaction, "$queryRawUnsafe") || !hasMethod(transaction, "$executeRawUnsafe"))
    return null;
  // Prisma removes it from the client that it passes to the callback.
  if (hasMethod(transaction, "$connect"))
    throw unusable(
      "this is the Prisma client, not a transaction: pass the tx of prisma.$transaction's callback",
    );
  const send = (text: string, values: readonly unknown[], hasRows: boolean): Promise<unknown> =>
    (hasRows
      ? transaction.$queryRawUnsafe(text, ...values)
      : transaction.$executeRawUnsafe(text, ...values)) as Promise<unknown>;
  return {
    dialect: null,
    runner: (dialect) =>
      dialect === "postgres"
        ? postgresRunner((text, values, hasRows) => send(text, values, hasRows))
        : sqliteRunner(async ({ text, values, returnsRows }) => send(text, values, returnsRows)),
  };
};
