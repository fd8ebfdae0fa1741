/** @module The SQL store: Postgres, SQLite and libSQL over any client of `@escapement/db`. */
export { createSqlStore, type SqlStoreOptions } from "./sql-store.ts";
export { assertMigrated, migrate, type MigrateOptions, type MigrateResult } from "./migrate.ts";
