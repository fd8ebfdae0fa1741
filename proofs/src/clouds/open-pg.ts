/** Postgres by `pg`. */
import type { Database } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";

export const openPg = (url: string): Database =>
  createPgDatabase({ connectionString: url, max: 4 });
