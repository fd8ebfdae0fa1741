/** One migration as one batch. Pure: text out. */
import type { Dialect, Statement } from "@escapement/db";
import type { MigrationSet, VersionRow } from "./migration-set.ts";
import type { SchemaState } from "./schema-state.ts";

/** Name of the guard that fails when somebody else migrated since the state was read. */
export const VERSION_GUARD = "schema-version";

/** Any fixed number: processes that migrate one database must agree on it, other users of it must not. */
const ADVISORY_LOCK_KEY = 4_201_987_361;

/**
 * Statements that take a database from `state` to the current version, to be applied as one batch.
 *
 * On Postgres the lock comes first, so that a second process waits before it looks at anything; SQLite has one writer
 * anyway. The guard then finds the version as the first process left it.
 */
export function toMigrationBatch(
  dialect: Dialect,
  set: MigrationSet,
  state: SchemaState,
): readonly Statement[] {
  const toVersion = set.steps.length;
  const texts = [
    ...(dialect.name === "postgres" ? [`select pg_advisory_xact_lock(${ADVISORY_LOCK_KEY})`] : []),
    ...(state.hasSettings
      ? []
      : [...set.settings, insertVersion(set.settingsVersionRow, set.settingsVersion)]),
    dialect.guard(VERSION_GUARD, isVersion(set.versionRow, state.version)),
    ...set.steps.slice(state.version).flat(),
    ...set.supplements,
    ...(state.version === toVersion ? [] : recordVersion(set.versionRow, toVersion)),
  ];
  return texts.map((text) => ({ text, values: [] }));
}

function isVersion(row: VersionRow, version: number): string {
  const recorded = `select "value" from "fragno_db_settings" where "key" = '${row.key}'`;
  return `coalesce((${recorded}), '0') = '${version}'`;
}

function insertVersion(row: VersionRow, version: number): string {
  return (
    `insert into "fragno_db_settings" ("id", "key", "value") ` +
    `values ('${row.id}', '${row.key}', '${version}') on conflict do nothing`
  );
}

function recordVersion(row: VersionRow, version: number): readonly string[] {
  return [
    insertVersion(row, version),
    `update "fragno_db_settings" set "value" = '${version}' where "key" = '${row.key}'`,
  ];
}
