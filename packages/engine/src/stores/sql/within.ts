/** A store inside a caller's transaction. */
import type { Database } from "@escapement/db";
import type { BatchResult } from "@escapement/db/client";
import { late } from "../../core/late.ts";
import type { SqlContext } from "./apply-batch.ts";
import { toSchemaMismatchWithin } from "./migrations/schema-mismatch.ts";

const recognizing = late(() => import("@escapement/db/transaction"));

/**
 * The context of the verbs there: the same statements, on the caller's connection. The code that recognises the transaction is
 * loaded by the first batch.
 */
export const within = (context: SqlContext, transaction: object): SqlContext => ({
  ...context,
  database: openWithin(context.database, transaction),
  writesInWith: false,
});

function openWithin(own: Database, transaction: object): Database {
  const { dialect } = own;
  let opening: Promise<Database> | null = null;
  const open = async (): Promise<Database> => {
    const { createTransactionDatabase } = await recognizing();
    const opened = createTransactionDatabase(transaction, dialect);
    // Creates the tables on a connection of its own, if the store migrates by itself. Not on SQLite: a file has one writer, which is the caller.
    if (dialect.name === "postgres") await own.batch([]);
    return opened;
  };
  return {
    dialect,
    isSerial: true,
    async batch(statements): Promise<BatchResult> {
      const database = await (opening ??= open());
      return database.batch(statements).catch((error: unknown) => {
        throw toSchemaMismatchWithin(error) ?? error;
      });
    },
    close: () => Promise.resolve(),
  };
}
