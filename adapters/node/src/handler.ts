/** The engine's HTTP API on node:http. */
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Engine } from "@escapement/engine";
import { demandOption } from "@escapement/engine/deploy";
import { createReadiness, type ReadyEngine } from "./readiness.ts";

/** All that the HTTP side needs of an engine. */
export type FetchEngine = Pick<Engine, "fetch">;

export interface ServeOptions {
  readonly engine: FetchEngine & ReadyEngine;
  /**
   * Path whose GET is answered by 200 while the database answers, and by 503 else and while the server closes: for the
   * probes of load balancers and orchestrators. It tells nothing else, and costs a trip a second at most. @default none
   */
  readonly readyPath?: string;
  /** 0: any free port. @default 3000 @minimum 0 @maximum 65535 */
  readonly port?: number;
  /** Address to listen on. @default "127.0.0.1", so that nothing is open to the network unasked */
  readonly hostname?: string;
}

/** A listening server. */
export interface NodeServer {
  /** For instance `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly port: number;
  /**
   * Accepts no more connections and waits for the answers under way, at most `graceMs`; then cuts them. Calling it
   * again waits for the same end.
   */
  close(options?: { /** @default 5000 */ readonly graceMs?: number }): Promise<void>;
}

/** A listener for a server of your own: `http.createServer(handler(engine))`. */
export function handler(engine: FetchEngine): RequestListener {
  const listener = getRequestListener(engine.fetch, { overrideGlobalObjects: false });
  return (request, response) => void listener(request, response);
}

/**
 * Starts a server with the engine's HTTP API and nothing else.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — a `readyPath` that begins with no slash
 * @throws Node's own error, for instance with code EADDRINUSE
 */
export async function serve(options: ServeOptions): Promise<NodeServer> {
  const { engine, port = 3000, hostname = "127.0.0.1", readyPath } = options;
  demandOption("readyPath", readyPath === undefined || readyPath.startsWith("/"));
  let closed: Promise<void> | null = null;
  const isReady = createReadiness(engine);
  const toEngine = handler(engine);
  const answerProbe = async (response: ServerResponse): Promise<void> => {
    const status = closed === null && (await isReady()) ? 200 : 503;
    response.writeHead(status, { "cache-control": "no-store" }).end();
  };
  const server = createServer((request, response) => {
    const isProbe = request.method === "GET" && request.url?.split("?")[0] === readyPath;
    if (isProbe) void answerProbe(response);
    else toEngine(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo;
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return {
    url: `http://${host}:${boundPort}`,
    port: boundPort,
    close: ({ graceMs = 5000 } = {}) => (closed ??= closeServer(server, graceMs)),
  };
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeIdleConnections();
  });
  clearTimeout(timer);
}
