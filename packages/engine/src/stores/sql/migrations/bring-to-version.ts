/** The implementation of `migrate` and `assertMigrated`, with the SQL of every version. Loaded by their first call. */
import { batchWithRetry, DatabaseError, type Statement } from "@escapement/db/client";
import type { Database } from "@escapement/db";
import { WorkflowError } from "../../../core/errors.ts";
import type { Logger } from "../../../ports/logger.ts";
import { toUnavailable } from "../away.ts";
import { warnOfLostCommits } from "../durability.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./generated.ts";
import { areApplied, type IndexSet, indexSetOf, toIndexSet } from "./index-set.ts";
import { toMigrationBatch } from "./migration-batch.ts";
import { loadSchemaState, type SchemaState } from "./schema-state.ts";

/** The versions before and after; equal if there was nothing to do. 0: there were no tables. */
export interface MigrateResult {
  readonly fromVersion: number;
  readonly toVersion: number;
  /** The set of indexes that the database has now. */
  readonly indexes: IndexSet;
}

/** Options of a migration. */
export interface MigrateOptions {
  /**
   * SQLite, libSQL, D1 and Durable Objects: `lean` leaves out two indexes for lists, so that a workflow writes a fifth fewer
   * rows; a list by status and a page of a long history then read more. Remembered: later migrations keep it. Postgres has
   * one set. See docs/rows.md.
   *
   * @default what the database remembers; else `lean` where rows are billed (D1, Durable Objects, servers of libSQL), `full`
   * elsewhere
   */
  readonly indexes?: IndexSet;
  /**
   * Logs `database.loses_commits` at `warn` if the database's settings may lose acknowledged commits when its machine crashes.
   * @default JSON lines on the console
   */
  readonly logger?: Logger;
}

/** How often a migration looks again after another process was faster. Once is enough unless versions keep changing. */
const MAX_LOOKS = 5;

/** See `migrate` in `../migrate.ts`. */
export async function bringToVersion(
  database: Database,
  { logger = CONSOLE, indexes }: MigrateOptions = {},
): Promise<MigrateResult> {
  const result = await applyMigrations(database, indexes);
  await warnOfLostCommits(database, logger);
  return result;
}

/** Like `bringToVersion`, but in one trip if the tables are current: settings are checked only after a change. */
export async function ensureVersion(
  database: Database,
  { logger = CONSOLE, indexes }: MigrateOptions = {},
): Promise<void> {
  const { fromVersion, toVersion } = await applyMigrations(database, indexes);
  if (fromVersion !== toVersion) await warnOfLostCommits(database, logger);
}

const CONSOLE: Logger = {
  log: (level, event, fields) => console[level](JSON.stringify({ level, event, ...fields })),
};

/** What `bringToVersion` would do now, and its statements as one batch; none: the tables are current. */
export interface MigrationPlan extends MigrateResult {
  readonly statements: readonly Statement[];
}

/** See `planMigration` in `../migrate.ts`. */
export async function planVersion(
  database: Database,
  indexes: IndexSet | undefined,
): Promise<MigrationPlan> {
  const { dialect } = database;
  const set = MIGRATIONS[dialect.name];
  const state = await reach(loadSchemaState(database, set));
  assertNotNewer(state);
  const indexSet = indexSetOf(database, indexes, state.indexSet);
  const statements = isCurrent(dialect, state, indexSet)
    ? []
    : toMigrationBatch(dialect, set, { state, indexSet });
  return { ...toResult(state, indexSet), statements };
}

async function applyMigrations(
  database: Database,
  indexes: IndexSet | undefined,
): Promise<MigrateResult> {
  for (let look = 1; ; look += 1) {
    const { statements, ...planned } = await planVersion(database, indexes);
    if (statements.length === 0) return planned;
    const result = await reach(batchWithRetry(database, statements));
    if (result.kind === "committed") return planned;
    // A unique violation means that Fragno's own migration, which takes no lock, inserted its version at the same time.
    const overtaken =
      result.kind === "unique" || result.reason === "guard" || result.reason === "locked";
    if (!overtaken || look >= MAX_LOOKS) throw busy(result.kind);
  }
}

/** See `assertMigrated` in `../migrate.ts`. */
export async function assertVersion(database: Database): Promise<void> {
  const state = await reach(loadSchemaState(database, MIGRATIONS[database.dialect.name]));
  assertNotNewer(state);
  if (state.version === SCHEMA_VERSION) return;
  const found = state.version === 0 ? "missing" : `at version ${state.version}`;
  throw new WorkflowError(
    "SCHEMA_MISMATCH",
    `The workflow tables are ${found}, this code needs version ${SCHEMA_VERSION}: run migrate(database) or store.migrate() once`,
    { databaseVersion: state.version, codeVersion: SCHEMA_VERSION },
  );
}

function assertNotNewer(state: SchemaState): void {
  if (state.version <= SCHEMA_VERSION) return;
  throw new WorkflowError(
    "SCHEMA_MISMATCH",
    `The workflow tables are at version ${state.version}, newer than this code's ${SCHEMA_VERSION}: deploy newer code`,
    { databaseVersion: state.version, codeVersion: SCHEMA_VERSION },
  );
}

function isCurrent(dialect: Database["dialect"], state: SchemaState, indexSet: IndexSet): boolean {
  const isRecorded = dialect.name === "postgres" || state.indexSet === indexSet;
  const wanted = toIndexSet(dialect, MIGRATIONS[dialect.name], indexSet);
  return state.version === SCHEMA_VERSION && isRecorded && areApplied(wanted, state.indexes);
}

const toResult = (state: SchemaState, indexes: IndexSet): MigrateResult => ({
  fromVersion: state.version,
  toVersion: SCHEMA_VERSION,
  indexes,
});

const busy = (kind: string): WorkflowError =>
  new WorkflowError("STORE_UNAVAILABLE", `The database is too busy to migrate now: ${kind}`);

/** Turns "cannot be reached" into the engine's own error. */
async function reach<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!DatabaseError.is(error) || !error.retryable) throw error;
    throw toUnavailable(error);
  }
}
