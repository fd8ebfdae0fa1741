/**
 * Makes and upgrades the tables. Needs nothing but the Batch port; Fragno's own migration gives the same database.
 *
 * The SQL of every version is loaded when it is asked for: most processes never migrate.
 */
import type { Database } from "@escapement/db";
import type {
  MigrateOptions,
  MigrateResult,
  MigrationPlan,
} from "./migrations/bring-to-version.ts";

export type { MigrateOptions, MigrateResult };

/**
 * Brings a database to this code's version. Safe to call from many processes at once and again at every start: a
 * database that is current is not written to, and costs two trips: one for its version, one for settings that it should
 * not have.
 *
 * Applied whole or not at all, in one batch. A process that was overtaken reports what it found.
 *
 * @throws {WorkflowError} SCHEMA_MISMATCH — the database was migrated by newer code
 * @throws {WorkflowError} STORE_UNAVAILABLE — the database cannot be reached or stays busy
 * @throws {DatabaseError} DATABASE_REJECTED — the database refused a statement, for instance for want of rights
 */
export async function migrate(
  database: Database,
  options: MigrateOptions = {},
): Promise<MigrateResult> {
  const { bringToVersion } = await import("./migrations/bring-to-version.ts");
  return bringToVersion(database, options);
}

/**
 * What `migrate` would do now, and with which statements, in order and as one batch; none: there is nothing to do. Reads in
 * one trip, and changes nothing.
 *
 * @throws {WorkflowError} SCHEMA_MISMATCH — the database was migrated by newer code
 * @throws {WorkflowError} STORE_UNAVAILABLE — the database cannot be reached
 */
export async function planMigration(
  database: Database,
  { indexes }: Pick<MigrateOptions, "indexes"> = {},
): Promise<MigrationPlan> {
  const { planVersion } = await import("./migrations/bring-to-version.ts");
  return planVersion(database, indexes);
}

/**
 * Checks in one trip that the tables are those of this code.
 *
 * @throws {WorkflowError} SCHEMA_MISMATCH — the tables are missing, older or newer
 * @throws {WorkflowError} STORE_UNAVAILABLE — the database cannot be reached
 */
export async function assertMigrated(database: Database): Promise<void> {
  const { assertVersion } = await import("./migrations/bring-to-version.ts");
  await assertVersion(database);
}
