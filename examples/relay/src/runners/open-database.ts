/** The database, for runtimes that have TCP. */
import type { Database } from "@escapement/db";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createPgDatabase } from "@escapement/db/pg";
import { createClient } from "@libsql/client/web";
import type { DatabasePlace } from "../runner-settings.ts";

export const openDatabase = ({ kind, url }: DatabasePlace): Database =>
  kind === "libsql"
    ? createLibsqlDatabase(createClient({ url }))
    : createPgDatabase({ connectionString: url, max: 2 });
