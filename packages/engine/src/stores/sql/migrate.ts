/**
 * Creates and upgrades the tables. It needs only the Batch port, and gives the same database as Fragno's own migration.
 *
 * The SQL of all versions is loaded when needed, because most processes never migrate.
 */
import type { Database } from "@escapement/db";
import { late } from "../../core/late.ts";
import type {
  MigrateOptions,
  MigrateResult,
  MigrationPlan,
} from "./migrations/bring-to-version.ts";

export type { MigrateOptions, MigrateResult };

const migrating = late(() => import("./migrations/bring-to-version.ts"));

/**
 * Brings a database to this code's version. You can call it from many processes at once, and at every start: if the database
 * is current, it writes nothing and takes two trips, one for the version and one to check settings.
 *
 * It is applied completely or not at all, in one batch. If another process was faster, it reports what it found.
 *
 * @throws {WorkflowError} SCHEMA_MISMATCH — the database was migrated by newer code
 * @throws {WorkflowError} STORE_UNAVAILABLE — the database cannot be reached or stays busy
 * @throws {DatabaseError} DATABASE_REJECTED — the database refused a statement, for example because of missing rights
 */
export async function migrate(
  database: Database,
  options: MigrateOptions = {},
): Promise<MigrateResult> {
  const { bringToVersion } = await migrating();
  return bringToVersion(database, options);
}

/**
 * Returns what `migrate` would do now: its statements, in order, as one batch; none if there is nothing to do. Reads in one
 * trip, and changes nothing.
 *
 * @throws {WorkflowError} SCHEMA_MISMATCH — the database was migrated by newer code
 * @throws {WorkflowError} STORE_UNAVAILABLE — the database cannot be reached
 */
export async function planMigration(
  database: Database,
  { indexes }: Pick<MigrateOptions, "indexes"> = {},
): Promise<MigrationPlan> {
  const { planVersion } = await migrating();
  return planVersion(database, indexes);
}

/**
 * Checks in one trip that the tables are those of this code.
 *
 * @throws {WorkflowError} SCHEMA_MISMATCH — the tables are missing, older or newer
 * @throws {WorkflowError} STORE_UNAVAILABLE — the database cannot be reached
 */
export async function assertMigrated(database: Database): Promise<void> {
  const { assertVersion } = await migrating();
  await assertVersion(database);
}
