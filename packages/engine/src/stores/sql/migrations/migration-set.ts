/** The shape of the generated migrations. */

/** Where a version is recorded: one row of `fragno_db_settings`. */
export interface VersionRow {
  readonly id: string;
  readonly key: string;
}

/** All that one database family needs, from empty to current. Every statement can be repeated but those of `steps`. */
export interface MigrationSet {
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
  /** What stands outside of versions, partial indexes above all: applied whenever one of those is missing. */
  readonly supplements: readonly string[];
  /** Physical names of the partial indexes. */
  readonly partialIndexNames: readonly string[];
}
