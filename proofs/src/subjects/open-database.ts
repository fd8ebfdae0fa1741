/** Opens the databases that the proofs run on, by URL: Postgres, a libSQL server over HTTP, or a file. */
import { fileURLToPath } from "node:url";
import type { Database } from "@escapement/db";

export interface OpenDatabaseOptions {
  /** Postgres: connections at most. @default 2 */
  readonly maxConnections?: number;
  /** Postgres: prepare statements by name. @default false */
  readonly preparedStatements?: boolean;
}

/** Drivers are loaded when they are asked for: worker processes must start fast. */
export async function openDatabase(
  url: string,
  { maxConnections = 2, preparedStatements = false }: OpenDatabaseOptions = {},
): Promise<Database> {
  if (url.startsWith("postgres")) {
    const { createPgDatabase } = await import("@escapement/db/pg");
    return createPgDatabase({ connectionString: url, max: maxConnections, preparedStatements });
  }
  if (url.startsWith("http")) {
    const [{ createClient }, { createLibsqlDatabase }] = await Promise.all([
      import("@libsql/client"),
      import("@escapement/db/libsql"),
    ]);
    return createLibsqlDatabase(createClient({ url }));
  }
  const [{ default: Connection }, { applyRecommendedPragmas, createSqliteDatabase }] =
    await Promise.all([import("libsql"), import("@escapement/db/sqlite")]);
  const connection = new Connection(fileURLToPath(url));
  // Nothing here survives a power loss, so the disk need not be waited for.
  applyRecommendedPragmas(connection, { synchronous: "NORMAL", busyTimeoutMs: 5000 });
  return createSqliteDatabase(connection);
}
