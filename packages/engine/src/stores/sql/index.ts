/** @module The SQL store: Postgres, SQLite and libSQL over any client of `@escapement/db`. */
export type { Migrations } from "./migrate-first.ts";
export { createSqlStore, type SqlStore, type SqlStoreOptions } from "./create-sql-store.ts";
export { assertMigrated, migrate, type MigrateOptions, type MigrateResult } from "./migrate.ts";
