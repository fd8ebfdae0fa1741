/** Checks whether a pooler in front of Postgres loses prepared statements. */
import { importDriver } from "../database/drivers.ts";
import type { OpenOptions } from "../database/open-database.ts";
import { type Finding, ok, skipped, wrong } from "./finding.ts";

const NAME = "escapement_doctor";
/** @source https://www.postgresql.org/docs/current/errcodes-appendix.html, invalid_sql_statement_name, read 2026-11 */
const UNKNOWN_STATEMENT = "26000";

/**
 * Prepares a statement, occupies its server connection with another client's transaction, and runs the statement again. If each
 * transaction gets any connection, it is a different one now.
 */
export async function checkPooler(url: string, { timeout }: OpenOptions): Promise<Finding> {
  const { default: pg } = await importDriver("pg", "pg");
  const settings = {
    connectionString: url,
    connectionTimeoutMillis: timeout * 1000,
    query_timeout: Math.min(timeout * 1000, 3000),
  };
  const [first, second] = [new pg.Client(settings), new pg.Client(settings)];
  for (const client of [first, second]) client.on("error", () => undefined);
  try {
    await Promise.all([first.connect(), second.connect()]);
    const statement = { name: NAME, text: "select pg_backend_pid() as pid" };
    const { rows } = await first.query<{ pid: number }>(statement);
    // A pooler makes up its own ids, and does not show its server's.
    const given = (first as unknown as { readonly processID: number }).processID;
    if (rows[0]?.pid === given)
      return ok("pooler", "no pooler shares connections between transactions");
    await second.query("begin");
    await second.query("select 1");
    await first.query(statement);
    return ok("pooler", "a pooler shares connections and keeps track of prepared statements");
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== UNKNOWN_STATEMENT)
      return skipped(
        "pooler",
        "could not find out whether a pooler keeps track of prepared statements",
      );
    return wrong("pooler", "warn", [
      "a pooler shares connections between transactions and does not keep track of prepared statements",
      "the engine notices it when the first batch goes wrong, repeats that one, and prepares nothing any more: it is slower, and says so in the log",
      "PgBouncer 1.21 and newer: set max_prepared_statements to 200 or more; else give `preparedStatements: false` to `postgres`",
    ]);
  } finally {
    await second.query("rollback").catch(() => undefined);
    await Promise.all([first.end(), second.end()]).catch(() => undefined);
  }
}
