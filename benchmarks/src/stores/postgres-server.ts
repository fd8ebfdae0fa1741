/** A Postgres, and databases on it. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { dropDatabase, startPostgres } from "@escapement-internal/test-servers";

export interface BenchServer {
  /** For who makes databases of its own. */
  readonly url: string;
  /** Makes an empty database. @returns its URL */
  createDatabase(): Promise<string>;
  /** Removes the databases, and the server if it is ours. */
  remove(): Promise<void>;
}

/**
 * @param givenUrl an existing server, on which databases are made and removed again; null: a private server
 * @param options `durable`: what the private server's commits are @default as by default
 */
export async function openPostgresServer(
  givenUrl: string | null,
  { durable = true }: { readonly durable?: boolean } = {},
): Promise<BenchServer> {
  const server = givenUrl === null ? await startPostgres({ durable }) : null;
  const adminUrl = givenUrl ?? server?.url ?? "";
  const names: string[] = [];
  return {
    url: adminUrl,
    async createDatabase() {
      const name = `escapement_bench_${randomUUID().slice(0, 8)}`;
      await runAsAdmin(adminUrl, `create database ${name}`);
      names.push(name);
      const url = new URL(adminUrl);
      url.pathname = `/${name}`;
      return url.href;
    },
    async remove() {
      if (server !== null) return server.stop();
      for (const name of names) await dropDatabase(adminUrl, name);
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
