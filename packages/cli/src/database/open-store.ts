/** @module The store on a database, for verbs that need no engine. Loaded with the first of them. */
import { assertMigrated, createSqlStore, type SqlStore } from "@escapement/engine/store/sql";
import { openDatabase, type OpenOptions } from "./open-database.ts";
import { toRefusal } from "./to-refusal.ts";

/** @throws {RefusedError} SCHEMA_MISMATCH, STORE_UNAVAILABLE, DRIVER_MISSING, DATABASE_NOT_FOUND; {UsageError} */
export async function openStore(db: string, options: OpenOptions): Promise<SqlStore> {
  const database = await openDatabase(db, options);
  try {
    await assertMigrated(database);
    return createSqlStore({ database });
  } catch (error) {
    await database.close().catch(() => undefined);
    throw toRefusal(error);
  }
}
