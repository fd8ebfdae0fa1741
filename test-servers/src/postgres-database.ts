/** Fresh databases on the server that the tests of one run share. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { type PostgresServer, startPostgres } from "./postgres.ts";

export interface TestDatabase {
  readonly url: string;
  /** Removes the database, once what was closed has hung up; what is still connected after a moment is closed. */
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
  await runAsAdmin(adminUrl, (client) => client.query(`create database ${name}`));
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => dropDatabase(adminUrl, name),
  };
}

const LOOKS = 50;
const LOOK_MS = 20;

/**
 * A pool says that it has ended before its connections have hung up. One that the server closes meanwhile tells its pool of
 * an error, which nobody hears any more.
 */
export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await runAsAdmin(adminUrl, async (client) => {
    for (let look = 0; look < LOOKS; look += 1) {
      const text =
        "select from pg_stat_activity where datname = $1 and backend_type = 'client backend'";
      if ((await client.query(text, [name])).rowCount === 0) break;
      await new Promise((resolve) => void setTimeout(resolve, LOOK_MS));
    }
    await client.query(`drop database if exists ${name} with (force)`);
  });
}

async function sharedServerUrl(): Promise<string> {
  const given = process.env["ESCAPEMENT_TEST_POSTGRES_URL"] ?? process.env["DATABASE_URL"];
  if (given !== undefined && given !== "") return given;
  own ??= startPostgres({ durable: false });
  return (await own).url;
}

async function runAsAdmin(
  url: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
