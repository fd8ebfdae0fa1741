/** The database: a libSQL server or Turso, over HTTP. */
import type { Database } from "@escapement/db";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createClient } from "@libsql/client/web";

export function openDatabase(): Database {
  const { DATABASE_URL: url = "http://127.0.0.1:8080", DATABASE_TOKEN: authToken } = process.env;
  return createLibsqlDatabase(createClient(authToken === undefined ? { url } : { url, authToken }));
}
