/** Fresh databases on the server that the tests of one run share. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { type PostgresServer, startPostgres } from "./postgres.ts";

export interface TestDatabase {
  readonly url: string;
  /** Removes the database, closing what is still connected to it. */
  drop(): Promise<void>;
}

let own: Promise<PostgresServer> | null = null;

/**
 * Creates an empty database on the shared server: the one of `global-setup`, else `DATABASE_URL`, else a server that
 * this process starts for itself.
 */
export async function createPostgresDatabase(): Promise<TestDatabase> {
  const adminUrl = await sharedServerUrl();
  const name = `escapement_${randomUUID().replaceAll("-", "")}`;
  await runAsAdmin(adminUrl, `create database ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => runAsAdmin(adminUrl, `drop database if exists ${name} with (force)`),
  };
}

async function sharedServerUrl(): Promise<string> {
  const given = process.env["ESCAPEMENT_TEST_POSTGRES_URL"] ?? process.env["DATABASE_URL"];
  if (given !== undefined && given !== "") return given;
  own ??= startPostgres({ durable: false });
  return (await own).url;
}

async function runAsAdmin(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
