/** Stores that an application exports, and what keeps their tables. */
import { createPgDatabase } from "@escapement/db/pg";
import { libsql } from "@escapement/engine/libsql";
import { neon } from "@escapement/engine/neon";
import { pglite } from "@escapement/engine/pglite";
import { postgres } from "@escapement/engine/postgres";
import { sqlite } from "@escapement/engine/sqlite";
import { stepSql, writeWithStep } from "@escapement/engine/step-sql";
import { createSqlStore, migrate, planMigration } from "@escapement/engine/store/sql";

export const onPostgres = postgres("postgres://127.0.0.1/orders");
export const onSqlite = sqlite("orders.db");
export const onLibsql = libsql("http://127.0.0.1:8080");
export const onNeon = neon("postgres://example.neon.tech/orders");
export const onPglite = pglite("orders");
export const database = createPgDatabase({ connectionString: "postgres://127.0.0.1/orders" });
export const own = createSqlStore({ database });
export const migrated = () => migrate(database);
export const planned = () => planMigration(database);
export const viaStore = () => own.migrate();
export { stepSql, writeWithStep };
