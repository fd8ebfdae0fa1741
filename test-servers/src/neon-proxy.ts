/**
 * An HTTP endpoint in front of PostgreSQL that speaks as Neon's does to `@neondatabase/serverless`.
 *
 * After the driver (`src/httpQuery.ts` of github.com/neondatabase/serverless, 2026-04) and the proxy
 * (`proxy/src/serverless/sql_over_http.rs` of github.com/neondatabase/neon), both read 2026-11: `POST /sql` with
 * `{ query, params }`, or `{ queries }` for one transaction; headers `Neon-Connection-String`, `Neon-Raw-Text-Output`,
 * `Neon-Array-Mode`, `Neon-Batch-Isolation-Level`, `Neon-Batch-Read-Only`, `Neon-Batch-Deferrable`. An error of the
 * server is status 400 with its fields, a server out of reach 500, an answer of more than 10 MB 507.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { describeNeonError, runNeonRequest } from "./neon-request.ts";

export interface NeonProxy {
  /** Connection string for `neon(url)`, of the same database; its port is the proxy's. */
  readonly url: string;
  stop(): Promise<void>;
}

/** For `neonConfig.fetchEndpoint`: where the proxy of a connection string listens. */
export const neonEndpoint = (host: string, port: number | string): string =>
  `http://${host}:${port}/sql`;

const MAX_ANSWER_BYTES = 10 * 1024 * 1024;

/** Starts the endpoint on a free port of 127.0.0.1, in this process. */
export async function startNeonProxy(postgresUrl: string): Promise<NeonProxy> {
  const pools = new Map<string, pg.Pool>();
  const server = createServer((request, response) => {
    const pool = findPool(pools, postgresUrl, request);
    answer(pool, request, response).catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const through = new URL(postgresUrl);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: through.href,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await Promise.all([...pools.values()].map((pool) => pool.end()));
    },
  };
}

/** The connection string names user and database; the server is ours. */
function findPool(
  pools: Map<string, pg.Pool>,
  postgresUrl: string,
  request: IncomingMessage,
): pg.Pool {
  const given = new URL(String(request.headers["neon-connection-string"]));
  given.host = new URL(postgresUrl).host;
  const known = pools.get(given.href);
  if (known !== undefined) return known;
  const pool = new pg.Pool({ connectionString: given.href, max: 20 });
  pool.on("error", () => undefined);
  pools.set(given.href, pool);
  return pool;
}

async function answer(
  pool: pg.Pool,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { status, body } = await runNeonRequest(
    pool,
    request.headers,
    Buffer.concat(chunks).toString("utf8"),
  ).then((result) => ({ status: 200, body: result }), describeNeonError);
  const text = JSON.stringify(body);
  if (Buffer.byteLength(text) > MAX_ANSWER_BYTES) {
    const message = `response is too large (max is ${MAX_ANSWER_BYTES} bytes)`;
    response.writeHead(507).end(JSON.stringify({ message }));
    return;
  }
  response.writeHead(status, { "content-type": "application/json" }).end(text);
}
