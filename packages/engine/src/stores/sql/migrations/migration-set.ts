/** The shape of the generated migrations. */

/** The row of `fragno_db_settings` that stores a version. */
export interface VersionRow {
  readonly id: string;
  readonly key: string;
}

/** Statements that do not belong to a version: applied whenever an index is missing, or exists that should not. */
export interface Supplements {
  /** Mostly partial indexes. */
  readonly supplements: readonly string[];
  /** Indexes that only lists need: created in the full set, dropped in the lean one. None on Postgres, which has one set. */
  readonly listIndexes: readonly string[];
}

/** Everything that one family of databases needs, from empty to current. All statements except those of `steps` can be repeated. */
export interface MigrationSet extends Supplements {
  /** Creates Fragno's own tables, in databases that Fragno has not set up. */
  readonly settings: readonly string[];
  /** The version of Fragno's own tables that `settings` creates. */
  readonly settingsVersion: number;
  readonly settingsVersionRow: VersionRow;
  /**
   * `steps[n]` takes our tables from version n to n + 1. It can be repeated where the database has `if not exists`; the guard
   * on the version makes it safe.
   */
  readonly steps: readonly (readonly string[])[];
  readonly versionRow: VersionRow;
}
