/** One migration as one batch. Pure: text out. */
import type { Dialect, Statement } from "@escapement/db/client";
import { INDEX_SET_KEY, type IndexSet, toIndexSet } from "./index-set.ts";
import type { MigrationSet, VersionRow } from "./migration-set.ts";
import type { SchemaState } from "./schema-state.ts";

/** The name of the guard that fails if another process has migrated since the state was read. */
export const VERSION_GUARD = "schema-version";

/** A fixed number that all our processes share, and that other users of the database should not use. */
const ADVISORY_LOCK_KEY = 4_201_987_361;

/**
 * An index of a large table takes longer than the server lets a batch take, and would be begun again and again. The waits for locks
 * stay limited. Before version 17, the server does not know the second setting.
 */
const UNLIMITED =
  "select set_config('statement_timeout', '0', true), " +
  "case when current_setting('transaction_timeout', true) is not null then set_config('transaction_timeout', '0', true) end";

/**
 * Makes the statements that take a database from `state` to the current version, to be applied as one batch.
 *
 * On Postgres the lock comes before anything is read, so that a second process waits for the first; SQLite has one writer anyway. The
 * guard then sees the version that the first process left.
 */
export function toMigrationBatch(
  dialect: Dialect,
  set: MigrationSet,
  { state, indexSet }: { readonly state: SchemaState; readonly indexSet: IndexSet },
): readonly Statement[] {
  const toVersion = set.steps.length;
  const texts = [
    ...(dialect.name === "postgres"
      ? [UNLIMITED, `select pg_advisory_xact_lock(${ADVISORY_LOCK_KEY})`]
      : []),
    ...(state.hasSettings
      ? []
      : [...set.settings, insertVersion(set.settingsVersionRow, set.settingsVersion)]),
    dialect.guard(VERSION_GUARD, isAsSeen(set.versionRow, state)),
    ...set.steps.slice(state.version).flat(),
    ...toIndexSet(dialect, set, indexSet),
    ...(state.version === toVersion ? [] : recordVersion(set.versionRow, toVersion)),
  ];
  return texts.map((text) => ({ text, values: [] }));
}

/** Condition: the version is still the one that was read, and so is the set of indexes. */
function isAsSeen(row: VersionRow, { version, indexSet }: SchemaState): string {
  const recorded = (key: string): string =>
    `select "value" from "fragno_db_settings" where "key" = '${key}'`;
  return (
    `coalesce((${recorded(row.key)}), '0') = '${version}' ` +
    `and coalesce((${recorded(INDEX_SET_KEY)}), '') = '${(indexSet ?? "").replaceAll("'", "''")}'`
  );
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
