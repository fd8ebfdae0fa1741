/** Both contenders on one Postgres with its default durability. */
import type { Database } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import { postgres } from "@escapement/engine/postgres";
import { createPostgresFloor } from "../floors/postgres.ts";
import { openPostgresServer } from "./postgres-server.ts";
import type { Stage } from "./stage.ts";

/** @param givenUrl an existing server, on which a database is made and removed again; null: a private server */
export async function openPostgres(givenUrl: string | null): Promise<Stage> {
  const server = await openPostgresServer(givenUrl);
  const url = await server.createDatabase();
  return {
    openStore: () => postgres(url),
    openDatabase: (connections): Database =>
      createPgDatabase({ connectionString: url, max: connections }),
    openFloor: (milestones) => createPostgresFloor(url, milestones),
    remove: () => server.remove(),
  };
}
