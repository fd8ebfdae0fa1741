/** What a migration begins with, whoever makes it. Pure: text out. */
import type { Dialect } from "./dialect/dialect.ts";

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
 * The first statements of a batch that migrates: on Postgres it takes as long as it must, and waits for every other migration of
 * the database before it reads anything. SQLite has one writer anyway.
 */
export function toMigrationTurn(dialect: Dialect): readonly string[] {
  if (dialect.name !== "postgres") return [];
  return [UNLIMITED, `select pg_advisory_xact_lock(${ADVISORY_LOCK_KEY})`];
}
