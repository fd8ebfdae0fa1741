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
  /**
   * On Postgres: what this process makes due and does not run itself is notified in the statement's own trip, and its loops
   * listen, by one connection more. What another process creates then starts at once, and not at the next poll. Give it to
   * all processes of a database. Commits that notify wait for each other: where many processes create one by one, it costs a third of
   * the creates on a disk that is slow to sync. A transaction of yours that notifies cannot be prepared for two-phase commit.
   * A SQLite file tells without it.
   *
   * @default false
   */
  readonly notify?: boolean;
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
  const { database, migrations = "none", notify = false, ...others } = options;
  const store = createMigratedStore({
    database: migrations === "none" ? database : migrateFirst(database, { ...others, migrations }),
    notify,
  });
  return { ...store, migrate: () => migrate(database, others) };
}
