/** @module The SQL store: Postgres, SQLite and libSQL over any client of `@escapement/db`. */
export { createSqlStore, type SqlStore } from "./create-sql-store.ts";
export { assertMigrated, migrate, planMigration } from "./migrate.ts";
