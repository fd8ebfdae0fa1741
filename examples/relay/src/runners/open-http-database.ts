/** The database, for runtimes that have no more than `fetch`. */
import type { Database } from "@escapement/db";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createNeonDatabase } from "@escapement/db/neon";
import { createClient } from "@libsql/client/web";
import { neon, neonConfig } from "@neondatabase/serverless";
import type { DatabasePlace } from "../runner-settings.ts";

export function openHttpDatabase({ kind, url }: DatabasePlace): Database {
  if (kind === "libsql") return createLibsqlDatabase(createClient({ url }));
  // Where Neon has its own endpoint, the relay has one in front of its Postgres.
  neonConfig.fetchEndpoint = (host, port) => `http://${host}:${port}/sql`;
  return createNeonDatabase(neon(url));
}
