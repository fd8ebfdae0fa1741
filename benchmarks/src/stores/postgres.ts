/** Both contenders on one Postgres with its default durability. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { startPostgres } from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import { createPostgresFloor } from "../floors/postgres.ts";
import type { Stage } from "./stage.ts";

/**
 * @param givenUrl an existing server, on which a database is made and removed again; null: a private server
 */
export async function openPostgres(givenUrl: string | null): Promise<Stage> {
  const server = givenUrl === null ? await startPostgres({ durable: true }) : null;
  const adminUrl = givenUrl ?? server?.url ?? "";
  const name = `escapement_bench_${randomUUID().slice(0, 8)}`;
  await runAsAdmin(adminUrl, `create database ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    openDatabase: (connections): Database =>
      createPgDatabase({ connectionString: url.href, max: connections, preparedStatements: true }),
    openFloor: (milestones) => createPostgresFloor(url.href, milestones),
    async remove() {
      if (server !== null) await server.stop();
      else await runAsAdmin(adminUrl, `drop database ${name} with (force)`);
    },
  };
}

async function runAsAdmin(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
