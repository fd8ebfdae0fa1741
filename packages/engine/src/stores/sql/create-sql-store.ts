/** The store with its migrations: by hand, or before the first statement. */
import type { Database } from "@escapement/db";
import type { Store } from "../../ports/store.ts";
import { migrate, type MigrateOptions, type MigrateResult } from "./migrate.ts";
import { migrateFirst, type Migrations } from "./migrate-first.ts";
import { createMigratedStore } from "./sql-store.ts";

/** A database, and what is done about its tables; `indexes` and `logger` are for migrations. */
export interface SqlStoreOptions extends MigrateOptions {
  /** A client of `@escapement/db`. The store closes it. */
  readonly database: Database;
  /** What is done about the tables before the first statement. @default "none": call `migrate` before */
  readonly migrations?: Migrations;
}

/** A store on an SQL database. It connects with its first call. */
export interface SqlStore extends Store {
  /**
   * As `migrate` on its database, whatever `migrations` says: for a script that runs before a deployment.
   *
   * @throws {WorkflowError} SCHEMA_MISMATCH, STORE_UNAVAILABLE; {DatabaseError} DATABASE_REJECTED
   */
  migrate(): Promise<MigrateResult>;
}

/** Creates a store. Every verb is one batch: one trip. */
export function createSqlStore(options: SqlStoreOptions): SqlStore {
  const { database, migrations = "none", ...others } = options;
  const store = createMigratedStore({
    database: migrations === "none" ? database : migrateFirst(database, { ...others, migrations }),
  });
  return { ...store, migrate: () => migrate(database, others) };
}
