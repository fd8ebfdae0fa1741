/** Checks whether a database's settings may lose acknowledged commits. */
import type { Database } from "@escapement/db";
import type { Logger } from "../../ports/logger.ts";

/**
 * Statements whose rows are settings that lose commits if the machine crashes. Neon turns `fsync` off because its separate
 * storage keeps what was acknowledged. PGlite always has it off. A SQLite database in memory is not meant to be kept.
 *
 * @source https://neon.com/docs/reference/compatibility, read 2026-11-22
 */
const LOSING_SETTINGS = {
  postgres:
    `select name || ' = off' as "setting" from pg_settings where setting = 'off' and (name = 'synchronous_commit' or ` +
    `name = 'fsync' and current_setting('neon.timeline_id', true) is null and version() not like '%PGlite%')`,
  sqlite:
    `select "setting" from (select 'synchronous = off' as "setting" from pragma_synchronous where "synchronous" = 0 ` +
    `union all select 'journal_mode = ' || "journal_mode" from pragma_journal_mode where "journal_mode" in ('off', 'memory')) ` +
    `where exists (select 1 from pragma_database_list where "name" = 'main' and "file" <> '')`,
};

const MEANING =
  "if the database's machine crashes, acknowledged commits may be lost and completed steps may run again";

/**
 * Logs one warning if the database's settings may lose acknowledged commits. One trip.
 *
 * There is no warning if the database does not answer: D1 and Durable Objects refuse the question, and have no such settings.
 */
export async function warnOfLostCommits(database: Database, logger: Logger): Promise<void> {
  const statement = { text: LOSING_SETTINGS[database.dialect.name], values: [] };
  const result = await database.batch([statement]).catch(() => null);
  if (result?.kind !== "committed") return;
  const settings = (result.rows[0] ?? []).map(({ setting }) => String(setting)).toSorted();
  if (settings.length === 0) return;
  logger.log("warn", "database.loses_commits", { settings, meaning: MEANING });
}
