/** One migration as one batch. Pure: text out. */
import type { Dialect, Statement } from "@escapement/db/client";
import { toMigrationTurn } from "@escapement/db/internal";
import { INDEX_SET_KEY, type IndexSet, toIndexSet } from "./index-set.ts";
import type { MigrationSet, VersionRow } from "./migration-set.ts";
import type { SchemaState } from "./schema-state.ts";

/** The name of the guard that fails if another process has migrated since the state was read. */
export const VERSION_GUARD = "schema-version";

/**
 * Makes the statements that take a database from `state` to the current version, to be applied as one batch.
 * A second process waits for its turn; the guard then sees the version that the first one left.
 */
export function toMigrationBatch(
  dialect: Dialect,
  set: MigrationSet,
  { state, indexSet }: { readonly state: SchemaState; readonly indexSet: IndexSet },
): readonly Statement[] {
  const toVersion = set.steps.length;
  const texts = [
    ...toMigrationTurn(dialect),
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
