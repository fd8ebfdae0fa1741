/** The engine's HTTP API on node:http. */
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import {
  assertOption,
  type FetchEngine,
  type HttpServer,
  type ListenOptions,
  toHttpServer,
  toListenAddress,
} from "@escapement/engine/adapter";
import { createReadiness, type ReadyEngine } from "./readiness.ts";
import { toWholeRequest } from "./whole-request.ts";

/** The engine, where to listen, and the path of readiness. */
export interface ServeOptions extends ListenOptions {
  readonly engine: FetchEngine & ReadyEngine;
  /**
   * Path whose GET is answered by 200 while the database answers, and by 503 else and while the server closes: for the
   * probes of load balancers and orchestrators. It tells nothing else, and costs a trip a second at most. @default none
   */
  readonly readyPath?: string;
}

/**
 * A listener for a server of your own: `http.createServer(handler(engine))`, `app.use("/api/workflows", handler(engine))`.
 * `http.mountRoute` of the engine is the whole path, however a framework writes it. A body that a parser has read is taken
 * from `request.body`; one that nobody kept is answered by 500, INVARIANT_BROKEN.
 */
export function handler(engine: FetchEngine): RequestListener {
  const answer = async (request: Request, { incoming }: HttpBindings): Promise<Response> =>
    engine.fetch(await toWholeRequest(request, incoming));
  const listener = getRequestListener(answer as Parameters<typeof getRequestListener>[0], {
    overrideGlobalObjects: false,
  });
  return (request, response) => void listener(request, response);
}

/**
 * Starts a server with the engine's HTTP API and nothing else.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — a `readyPath` that begins with no slash
 * @throws Node's own error, for instance with code EADDRINUSE
 */
export async function serve(options: ServeOptions): Promise<HttpServer> {
  const { engine, readyPath } = options;
  const { port, hostname } = toListenAddress(options);
  assertOption("readyPath", readyPath === undefined || readyPath.startsWith("/"));
  const isReady = createReadiness(engine);
  const toEngine = handler(engine);
  const answerProbe = async (response: ServerResponse): Promise<void> => {
    const status = server.listening && (await isReady()) ? 200 : 503;
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
  return toHttpServer({
    hostname,
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      }),
    cut: () => server.closeAllConnections(),
  });
}
