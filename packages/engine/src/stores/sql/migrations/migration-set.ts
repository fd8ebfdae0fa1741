/** The shape of the generated migrations. */

/** Where a version is recorded: one row of `fragno_db_settings`. */
export interface VersionRow {
  readonly id: string;
  readonly key: string;
}

/** What stands outside of versions: applied whenever an index is missing, or one is there that should not be. */
export interface Supplements {
  /** Partial indexes above all. */
  readonly supplements: readonly string[];
  /** Indexes for lists alone: made in the full set, dropped in the lean one. None on Postgres, which has one set. */
  readonly listIndexes: readonly string[];
}

/** All that one database family needs, from empty to current. Every statement can be repeated but those of `steps`. */
export interface MigrationSet extends Supplements {
  /** Fragno's own tables; only for databases that Fragno has not set up. */
  readonly settings: readonly string[];
  /** Version of Fragno's own tables that `settings` makes. */
  readonly settingsVersion: number;
  readonly settingsVersionRow: VersionRow;
  /**
   * `steps[n]` takes our tables from version n to n + 1. Repeatable where the database has `if not exists` for it;
   * what makes it safe is the guard on the version.
   */
  readonly steps: readonly (readonly string[])[];
  readonly versionRow: VersionRow;
}
